"""Images as files: the size that a header states, and the metadata that is removed. Nothing is decompressed."""
