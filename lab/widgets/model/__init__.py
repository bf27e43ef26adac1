"""Small models that a reader drives, move by move."""
