"""How often `lab.compare` calls a server different from itself: 20 real comparisons of one program.

Each comparison has two arms with the same recipe, six pairs and an A/A control. A verdict is a
false alarm. The exact test gives one in 32 (p = 0.031 at six pairs), and the interval must agree,
so a little fewer are expected. The control stands beside the ratio and is not counted in.
"""

from __future__ import annotations

import argparse
import math
import sys

import lab


def main() -> int:
    """Print each ratio and the count of false alarms; 1 if there are more than chance explains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--server", default="node/hello")
    options = parser.parse_args()
    alarms = 0
    for number in range(options.times):
        ratio = lab.compare(
            {"one": options.server, "other": options.server},
            connections=10,
            seconds=0.15,
            warmup=0.1,
            seed=number + 1,
            experiment="bench-false-alarms",
        ).ratio("other")
        alarms += ratio.decided
        print(f"{number + 1:3} {ratio.text}{'  FALSE ALARM' if ratio.decided else ''}", flush=True)
    # One in twenty would be a 5 % test; three standard deviations above it is no longer chance.
    limit = 0.05 * options.times + 3 * math.sqrt(0.05 * 0.95 * options.times)
    print(f"{alarms} false alarms in {options.times} comparisons (at most {limit:.0f} wanted)")
    return int(alarms > limit)


if __name__ == "__main__":
    sys.exit(main())
