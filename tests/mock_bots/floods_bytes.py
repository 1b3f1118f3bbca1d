"""Sends one very large message."""

from raw import Request, Stream, play_on

from arena.v1 import play_pb2

stream = Stream()
stream.send(Request(log=play_pb2.Log(text="x" * 8_000_000)))
play_on(stream)
