"""The parts of `lab.trace`: run a program under the recorder, agree on phases, draw the replay."""
