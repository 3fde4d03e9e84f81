"""What campaign tools tell of source code: functions and lines with what ran, and what was never reached."""
