"""What is kept: what may be passed and stored, how it is written whole and read again."""
