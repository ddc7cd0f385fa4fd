"""Recorded conversations, run again in virtual time: the law of the journal, another agent, and what differs."""
