"""The name of the tool. `tools/checkup` replaces this module in the package that it builds."""

PROGRAM = "python -m lab"  # the words that a user types before a verb
DISTRIBUTION = "lab"  # the package whose version is shown
