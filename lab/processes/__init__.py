"""Processes that serve and measure, the guard that ends them, and the machine they run on."""
