"""Every transformer against all concrete memories of five cells: what `test_enumeration.py` does not have the time for.

    python -m tests.fesa.sweep [--share 1/20]

It takes most of an hour, with `--share 1/20` a twentieth of that. A failure is an AssertionError that names the memory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fesa.transformers.test_enumeration import SETTINGS

from .checking import Bench
from .statements import VOCABULARIES

ROWS = (("objects", 1, 2, 1), ("lists", 3, 1, 0), ("lists", 3, 0, 1), ("numbers", 3, 1, 0), ("links", 3, 0, 0))
"""Vocabulary, blocks, places without a value, lost blocks."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--share", default="1/1", help="the part of all states that is looked at: the k-th of n, as k/n"
    )
    parser.add_argument("--setting", default="default", choices=SETTINGS)
    options = parser.parse_args()
    first, step = map(int, options.share.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        for name, blocks, unset, lost in ROWS:
            start = time.process_time()
            bench = Bench(VOCABULARIES[name], Path(folder), SETTINGS[options.setting])
            groups = list(bench.groups(blocks, unset, lost, size=100))[first - 1 :: step]
            for group in groups:
                bench.check(group, remembers=True)
            items = sum(map(len, groups))
            seconds = time.process_time() - start
            told = f"{name}, {blocks} blocks: {items} states in {len(groups)} joins, {bench.done} checks"
            sys.stdout.write(f"{told}, {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
