"""From measurements to a verdict: intervals, tests and the rules."""
