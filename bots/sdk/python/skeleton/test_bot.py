"""What __NAME__ answers to the questions of a recorded game: `python -m unittest`."""

import unittest
from pathlib import Path
from random import Random

from bot import decide
from conquest_arena_bot.recorded import questions

RECORDED = Path(__file__).parent / "recorded"


class Answers(unittest.TestCase):
    def test_every_answer_is_legal(self):
        for view, legal in questions(RECORDED, "classic"):
            self.assertIn(decide(view, legal, Random(1)), legal)

    def test_it_attacks_only_where_it_has_more_troops(self):
        for view, legal in questions(RECORDED, "classic"):
            answer = decide(view, legal, Random(1))
            if answer.kind == view.game.description.action_kind("attack") and len(legal) > 2:
                stronger = [offer for offer in legal if view.troops[offer.a] > view.troops[offer.b] + 1]
                self.assertTrue(not stronger or view.troops[answer.a] > view.troops[answer.b] + 1)


if __name__ == "__main__":
    unittest.main()
