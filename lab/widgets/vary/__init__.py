"""One thing changed, with the recorded values of it at hand."""
