"""Programs on a model of Node: its own modules on another engine, its loop in virtual time."""
