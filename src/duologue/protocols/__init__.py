"""The dialects: what each protocol's frames mean. None knows another."""
