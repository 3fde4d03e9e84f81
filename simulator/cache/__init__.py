"""Files in the user's cache folder: shared by all processes of a user, and never trusted blindly."""
