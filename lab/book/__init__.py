"""The build of the book: what each chapter depends on, and what must be executed again."""
