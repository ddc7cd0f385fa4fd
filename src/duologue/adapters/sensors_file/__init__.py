"""Readings from a file that somebody feeds: to try what a machine in another condition would do."""

from duologue.adapters.sensors_file.sensors import FileSensors

__all__ = ["FileSensors"]
