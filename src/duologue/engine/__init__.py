"""The pure engine: what follows from an input, one policy a file."""
