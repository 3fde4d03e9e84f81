"""Reports that other programs read: CI systems, code scanning, test views, coverage services."""
