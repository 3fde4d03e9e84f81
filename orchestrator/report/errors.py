"""Errors of report writing."""

from __future__ import annotations


class ReportError(Exception):
    """A report file cannot be written: no such folder, no permission, disk full. The message names the file."""

    code = "E_REPORT"


class ReportRequestError(Exception):
    """A report is asked for that cannot be made, or one is to be read that is none. The message names it and says what
    is allowed."""

    code = "E_REPORT_REQUEST"
