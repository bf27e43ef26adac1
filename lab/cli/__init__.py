"""The command line: one table of verbs, one parser, one way to fail.

`table` has every verb with its summary, examples and exit codes. `commands` makes the parser of a
home (`python -m lab`, `python -m lab.book`, ...) from its part of the table, and `help` prints the
table. The table only holds words, so this room lies below all rooms whose verbs it lists.
"""
