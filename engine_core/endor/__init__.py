"""The endor family: Rebels against the Empire with hidden orders, a space battle, a shield track and a duel."""
