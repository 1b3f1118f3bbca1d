"""The conquest family: world domination on a board of territories, with cards, dice and reinforcements."""
