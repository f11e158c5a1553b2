"""The judge card: whether an LLM judge may stand in for a person, and what to do next."""
