"""The endor family: Rebels against the Empire with hidden orders, a space battle, a shield and a duel."""
