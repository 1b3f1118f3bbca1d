"""Pictures and sentences of a game for people: pure functions of a ruleset, a position and its events."""
