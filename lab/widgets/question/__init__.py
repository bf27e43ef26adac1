"""Questions to a reader before a run, and the answer after it."""
