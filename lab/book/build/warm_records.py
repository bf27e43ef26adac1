"""`warm`, and the records read as well: a module, as what is to be imported ahead is named so."""

from lab.book.build import warm

warm.records()
