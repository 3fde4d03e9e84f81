"""Precompiled contracts that the kernel leaves to the host: functions of input and gas, see `table.py`."""
