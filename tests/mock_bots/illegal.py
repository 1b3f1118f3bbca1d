"""Deploys more troops than anybody has."""

from raw import Stream

from arena.v1 import rules_pb2

DEPLOY = 5

stream = Stream()
for question in stream.questions():
    stream.act(question.decision_id, actions=[rules_pb2.Action(kind=DEPLOY, n=1_000_000)])
