"""Conquest Arena: an AI tournament platform for the RISK family of board games."""
