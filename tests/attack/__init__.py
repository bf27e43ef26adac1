"""Attacks on the whole: `make attack` tries every case, `make pytest` the sample that is not marked `nightly`."""
