"""The replay of what the event loop did."""
