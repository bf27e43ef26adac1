"""Exercises, and what a hand-in is worth: judged by what it does, in a sandbox, from outside."""
