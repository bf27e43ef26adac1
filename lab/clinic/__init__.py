"""The clinic: somebody's own server, watched from inside under load; what is ill, and why."""
