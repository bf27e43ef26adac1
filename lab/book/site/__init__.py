"""The site around the pages: what each says of itself, icons, formulas, and files of its own."""
