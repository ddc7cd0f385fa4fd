"""The registry of tools, and carrying out their calls."""
