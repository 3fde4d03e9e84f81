"""crytic-compile's arguments: remappings and libraries count, and for the others it is said what differs."""

from __future__ import annotations

import pytest

from orchestrator.configuration.crytic_arguments import compiler_arguments, differences


@pytest.mark.parametrize(
    "arguments",
    [
        ["--solc-remaps", "@a/=b/ c=d"],
        ["--solc-remaps=@a/=b/ c=d"],
        ["--solc-remaps '@a/=b/ c=d'"],
        ["--foundry-compile-all --solc-remaps '@a/=b/ c=d'"],
    ],
)
def test_remappings_reach_the_compiler(arguments: list[str]) -> None:
    assert list(compiler_arguments(arguments)) == ["@a/=b/", "c=d"]
    assert differences(arguments) == []


def test_addresses_of_libraries_reach_the_compiler() -> None:
    arguments = ["--compile-libraries=(Lib,0x11),(Other,0xff)"]
    assert list(compiler_arguments(arguments)) == [
        *("--libraries", f"Lib=0x{0x11:040x}"),
        *("--libraries", f"Other=0x{0xFF:040x}"),
    ]
    assert differences(arguments) == []


def test_what_differs_is_said() -> None:
    found = differences(
        ["--foundry-compile-all", "--hardhat-ignore-compile", "--solc", "x", "--what", "--compile-libraries"]
    )
    assert [each.partition(":")[0] for each in found] == [
        "--hardhat-ignore-compile",
        "--solc has no effect",
        "--what has no effect",
        "--compile-libraries has no effect",
    ]


def test_metadata_is_left_out_where_crytic_compile_is_to_remove_it() -> None:
    assert list(compiler_arguments(["--compile-remove-metadata"])) == ["--no-cbor-metadata"]
    assert differences(["--compile-remove-metadata"]) == []
