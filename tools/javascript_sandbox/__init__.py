"""Untrusted JavaScript in a V8 engine without host objects, in a confined process of its own.

The modules that the confined process imports (`worker` and what it needs) import nothing but the standard library and
`py_mini_racer`: the process starts quickly, and there is little in it to misuse.
"""
