"""An exercise as it stands on its page."""
