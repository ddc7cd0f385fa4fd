"""Looking at conversations: listing, searching, and what was said and measured, turn by turn."""
