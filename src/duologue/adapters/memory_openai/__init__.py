"""Meanings of texts, from a server that speaks OpenAI's protocol for embeddings: theirs, or one that does the same."""

from duologue.adapters.memory_openai.embedder import OpenaiEmbedder

__all__ = ["OpenaiEmbedder"]
