"""What adapters share that run a small network of somebody else's: finding its file, and loading it."""
