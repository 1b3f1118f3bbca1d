"""Ends without an error, and without having joined."""
