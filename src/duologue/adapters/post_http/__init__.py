"""Notices over HTTP."""

from duologue.adapters.post_http.post import HttpPost

__all__ = ["HttpPost"]
