"""What asks an experiment: the verbs, and the one way from a question to its answer."""
