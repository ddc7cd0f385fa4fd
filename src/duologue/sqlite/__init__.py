"""What adapters share that keep something in SQLite: statements, a database of one's own, and a thread for it."""
