"""Load tools, what they read where the truth is known, and what this machine can measure."""
