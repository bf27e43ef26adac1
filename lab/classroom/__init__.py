"""Exercises for a class: a course's folder for nbgrader, many hand-ins at once, what comes back."""
