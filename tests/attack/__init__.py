"""Attacks on the whole: all cases in `make attack`, those not marked `nightly` in `make pytest`."""
