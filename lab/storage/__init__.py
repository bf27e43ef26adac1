"""Storage: which values may be passed and stored, and how files are written whole and read."""
