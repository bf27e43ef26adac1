"""What the tool is called. `tools/checkup` writes another module of this name into the package that
it builds of this room.
"""

PROGRAM = "python -m lab"  # what is typed before a verb
DISTRIBUTION = "lab"  # whose version is told
