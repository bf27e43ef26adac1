"""The verbs that ask an experiment, and the way from a question to its answer."""
