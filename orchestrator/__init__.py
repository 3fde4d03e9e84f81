"""The program: command line, configuration, assembly and supervision of a campaign, reports and live view."""
