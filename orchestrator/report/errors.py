"""Errors of report writing."""

from __future__ import annotations


class ReportError(Exception):
    """A report file cannot be written: no such folder, no permission, disk full. The message names the file."""

    code = "E_REPORT"
