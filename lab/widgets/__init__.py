"""Components of a page, each with its Python, its script and its style."""
