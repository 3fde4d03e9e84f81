"""The web page that manages codebases, served by the program itself."""
