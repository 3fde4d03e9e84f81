"""Time to parse 50 MB of LCOV, which is to stay below five seconds.

python -m benchmarks.lcov
"""

from __future__ import annotations

import io
import statistics
import time

from tools.coverage.lcov_parser import parse_lcov

RUNS = 3


def fifty_megabytes() -> bytes:
    """1,200 files of 5,000 lines."""
    record = "".join(f"DA:{line},{line % 7}\n" for line in range(1, 5_000))
    return "".join(f"TN:\nSF:src/file{number}.sol\n{record}end_of_record\n" for number in range(1_200)).encode()


def main() -> None:
    data = fifty_megabytes()
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        parse_lcov(io.BytesIO(data))
        taken.append(time.perf_counter() - began)
    print(f"{len(data) / (1 << 20):.0f} MB of LCOV: {statistics.median(taken):.2f} s (median of {RUNS})")


if __name__ == "__main__":
    main()
