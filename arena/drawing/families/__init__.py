"""The drawings of the families: one module each, named as its family; see `arena.drawing.registry`."""
