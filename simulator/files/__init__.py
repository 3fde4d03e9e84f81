"""Files and folders of the user: opened, replaced and removed safely, wherever the program keeps its own."""
