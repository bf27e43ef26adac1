"""What pages show of many chapters: verdicts, machines, checks, predictions, a reader's own run."""
