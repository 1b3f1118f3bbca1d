"""__NAME__: attacks when it has more troops, else plays at random."""

NAME = "__NAME__"
VERSION = "1"


def decide(view, legal, rng):
    """Answer one decision: `view` is what this seat may see, `legal` what it may do."""
    attack = view.game.description.action_kind("attack")
    for offer in legal:
        if offer.kind == attack and view.troops[offer.a] > view.troops[offer.b] + 1:
            return offer.last()
    return legal.sample(rng)


if __name__ == "__main__":
    from conquest_arena_bot import serve

    serve(decide, name=NAME, version=VERSION)
