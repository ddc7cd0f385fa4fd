"""The default agent: answers from a folder of Markdown pages, with no model and no key."""

from duologue.adapters.agent_knowledge.agent import KnowledgeAgent

__all__ = ["KnowledgeAgent"]
