"""How things are said: numbers, names and findings in words, and what shows itself as HTML."""
