"""Where the time goes: sampling, clocks by concern, and costs of single instructions."""
