"""Compare our verdicts with forge's: `python -m tests.differential`.

The suite is written to a folder, run by both programs, and every test on which they differ is printed. `--record`
keeps forge's verdicts as the expected ones; without a forge those are what is compared with.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.differential.expected import expected_of, load_expected
from tests.differential.forge import find_forge, forge_version, run_forge
from tests.differential.known import is_known
from tests.differential.ours import run_ours
from tests.differential.suite import SEED, generate
from tests.differential.verdicts import Verdicts, compare


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        generate(arguments.seed).write(folder)
        verdicts = _forges(arguments, folder)
        if arguments.record:
            return 0
        return _compare(folder, verdicts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="which suite to generate")
    parser.add_argument("--match", default=".", help="contracts to run, as a regular expression")
    parser.add_argument("--folder", type=Path, help="where to write the project, and to leave it")
    parser.add_argument("--record", action="store_true", help="keep forge's verdicts as the expected ones, and end")
    return parser.parse_args()


def _forges(arguments: argparse.Namespace, folder: Path) -> Mapping[str, Verdicts]:
    """By contract, those that match: of the real forge, else what it said when they were recorded."""
    forge = find_forge()
    if forge is not None:
        found = run_forge(forge, folder, None if arguments.record else arguments.match)
        if arguments.record:
            expected_of(forge_version(forge), arguments.seed, found).save()
        return found
    if arguments.record or arguments.seed != SEED:
        sys.exit("needs forge on PATH or at FORGE")
    print("no forge on PATH or at FORGE: comparing with the recorded verdicts")
    expected = load_expected()
    return {name: expected.verdicts(name) for name in expected.contracts if re.search(arguments.match, name)}


def _compare(folder: Path, verdicts: Mapping[str, Verdicts]) -> int:
    tests = differences = 0
    for contract, wanted in sorted(verdicts.items()):
        found = list(compare(contract, wanted, run_ours(folder, contract)))
        tests += len(wanted)
        differences += len(found)
        print(f"{'differs' if found else 'agrees':8} {contract:40} {len(wanted):4} tests", flush=True)
        for each in found:
            print(f"         {each}{' (known)' if is_known(each) else ''}")
    print(f"{tests} tests in {len(verdicts)} contracts: {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
