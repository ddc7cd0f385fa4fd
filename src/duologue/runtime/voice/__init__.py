"""Spoken conversation: what joins the sound of a call with its session."""
