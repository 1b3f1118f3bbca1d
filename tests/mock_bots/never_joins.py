"""Runs and does not join."""

import time

time.sleep(3600)
