"""`preload`, and the records read as well: what is to be imported ahead is named as a module."""

from lab.book import preload

preload.records()
