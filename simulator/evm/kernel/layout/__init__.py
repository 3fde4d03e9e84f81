"""The memory layouts of the EVM: every record that the kernel reads or writes, as a class of typed fields.

Each module declares one record. No other file knows an offset.
"""
