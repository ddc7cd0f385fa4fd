"""The nouns of a conversation: inputs, events, effects, errors and limits, as frozen data."""
