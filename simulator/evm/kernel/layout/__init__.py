"""The one table of memory layouts: every record that the kernel reads or writes, as named byte offsets.

Each module describes one record; its names are offsets from the record's address. No other file writes a raw offset.
"""
