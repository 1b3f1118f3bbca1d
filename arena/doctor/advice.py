"""What to do about a fault: by its kind, and where that is not enough, by its words."""

from __future__ import annotations

from arena.server.spelling import NOT_GRPC, NOT_LINES, SUSPECT

LAST_LINES = 8
CHILDREN = "end its child processes, or declare them: `children = N` in bot.toml"
BY_WORDS = {
    "cannot start": "install the program, or name another in `command` of bot.toml;"
    " a name without a slash is looked for on the PATH",
    SUSPECT: "write each message as a line of its own, with nothing behind it, and flush",
    NOT_GRPC: f"{NOT_GRPC}; without it a bot is one that joins over gRPC",
    NOT_LINES: f"{NOT_LINES}; with it a bot speaks over its standard input and output, and has no address",
    "child process": CHILDREN,
    "killed by SIGKILL": "it was ended from outside, most likely for lack of memory: then `dmesg` or"
    " `journalctl -k` names its process; the check `memory` shows what it holds, `--isolation limits` tells"
    " when that is too much",
    "killed by SIG": "run it in a debugger or with a sanitizer: it dies in its own code, or in a library's",
    "inside the arena's own process": "give it a folder with a bot.toml, as `arena init` does",
}
BY_KIND = {
    "no_show": "join before its process ends; see `arena play --logs`",
    "start_timeout": "send its Join, and sooner, or ask for a longer `clocks.start`; see `arena play --logs`",
    "timeout": "think less, or watch the clock of the question; if it hangs, find out where: print to stderr,"
    " and see `arena play --logs`",
    "illegal": "answer with one of the ranges offered and an amount from its lo to its hi",
    "malformed": "answer with the index of a range and an amount, or with an action of the protocol",
    "crash": "see the last lines of what it wrote, above: `arena play --logs` shows all of it,"
    " `arena rerun` a recorded game again",
    "disconnect": "stay until the stream ends, also between games",
    "flood": "send an answer to each question, and little else",
    "resource": "use less: docs/operating.md has a table of what a bot may use",
}


def kind_of(problem: str) -> str:
    """The kind of fault that a problem's words begin with."""
    return problem.partition(":")[0]


def advice_for(problem: str, otherwise: str = "") -> str:
    """What to do about `kind: words`; `otherwise` where nothing is known of the kind."""
    for words, advice in BY_WORDS.items():
        if words in problem:
            return advice
    return BY_KIND.get(kind_of(problem), otherwise)


def last_words(output: str) -> str:
    """The end of what a bot wrote that broke, as further lines of what is told of it."""
    return "".join(f"\n  {line}" for line in output.rstrip().splitlines()[-LAST_LINES:])
