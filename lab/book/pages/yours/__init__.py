"""Yours beside the book's: the file that a build writes of its results, and the page that puts two
such files side by side.
"""
