"""The games of the conquest family written once more from the rules page: slow, plain, apart from the kernel.

It takes the luck (dice, cards, what was laid out) from what the engine told and everything else from the
rules. Wherever the rules leave a single answer it gives that answer itself: that is how it knows what the
engine does not ask.
"""

from reference.game import Reference as Reference
from reference.words import Luck as Luck
from reference.words import Move as Move
from reference.words import Ranges as Ranges
from reference.words import Start as Start
