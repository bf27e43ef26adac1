"""Servers as recipes and as processes: the catalogue, and the guard that no process outlives.

Empty on purpose: the guard imports its siblings in a Python that must start fast.
"""
