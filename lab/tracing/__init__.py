"""The parts of `lab.trace`: run a program under the recorder, agree on the phases, draw the replay."""
