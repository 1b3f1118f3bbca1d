#!/bin/sh
# Asks a bot over JSON lines the questions of a recorded game and checks its answers: sh test.sh COMMAND...
cd "$(dirname "$0")" || exit 2
"$@" <recorded/classic.jsonl | awk '
  function value(text, name) { return match(text, "\"" name "\":") ? substr(text, RSTART + RLENGTH) + 0 : 0 }
  function wrong(what) { print "wrong: " what; failed = 1 }
  NR == FNR && /"decisionId":/ { # a question: the ranges it offers
    id = value($0, "decisionId")
    match($0, /"typedLegal":\[[^]]*/)
    offered[id] = substr($0, RSTART, RLENGTH)
    next
  }
  NR == FNR { next }
  /^\{"join":/ { joined = 1; next }
  /^\{/ { # an answer: a range of its question, and an amount, 0 for the lowest
    id = value($0, "decisionId"); range = value($0, "range"); amount = value($0, "amount")
    if (!(id in offered)) { wrong("nobody asked: " $0); next }
    count = split(offered[id], ranges, "}") - 1
    if (range < 0 || range >= count) wrong(count " ranges, but " $0)
    else if (amount && (amount < value(ranges[range + 1], "lo") || amount > value(ranges[range + 1], "hi")))
      wrong("the range is " ranges[range + 1] "}, but " $0)
    answered[id]++
  }
  END {
    if (!joined) wrong("the bot did not join")
    for (id in offered) { asked++; if (answered[id] != 1) wrong(answered[id] + 0 " answers to question " id) }
    print asked + 0 " questions" (failed ? "" : ", every answer is legal")
    exit failed || !asked
  }' recorded/classic.jsonl -
