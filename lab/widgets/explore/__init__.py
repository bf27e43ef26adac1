"""A measured grid that a reader turns."""
