"""Text: numbers, names and findings in words, and the registry of HTML for notebooks."""
