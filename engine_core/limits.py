"""The maxima of every family, the same as in kernel.pxd; the loader refuses what exceeds them."""

MIN_SEATS = 2
MAX_SEATS = 8
MAX_COLOURS = 8
MAX_TERRITORIES = 64
MAX_REGIONS = 32
MAX_CARDS = 64
MAX_BORDERS = 256  # directed: twice the number of pairs
MAX_BONUS = 1000
MAX_COORDINATE = 1000
MAX_TEXT = 1 << 20  # characters of a ruleset text
