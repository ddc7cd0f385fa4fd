"""Judging recorded frames of a protocol, anybody's: the rules, and what is wrong where. Pure."""
