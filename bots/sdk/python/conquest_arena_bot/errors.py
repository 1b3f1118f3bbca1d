"""What keeps a bot from playing."""


class ArenaError(Exception):
    """No server at the address, or it refuses the bot; the text is one line that says what to set."""
