"""How bytes travel; a transport carries any dialect."""
