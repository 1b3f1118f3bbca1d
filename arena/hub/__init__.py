"""The hub behind `arena serve`: bots dial in by themselves, for tournaments and for rated games."""
