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

    def test_it_attacks_where_it_has_more_troops(self):
        for view, legal in questions(RECORDED, "classic"):
            attack = view.game.description.action_kind("attack")
            chances = [r for r in legal if r.kind == attack and view.troops[r.a] > view.troops[r.b] + 1]
            if chances:
                answer = decide(view, legal, Random(1))
                self.assertTrue(any(answer in chance for chance in chances))


if __name__ == "__main__":
    unittest.main()
