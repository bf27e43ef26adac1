"""Builds: which chapters run again and why, in which stages, and what they tell."""
