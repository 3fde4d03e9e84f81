"""`assertTrue` to `assertApproxEqRelDecimal`, for every type and with every message form of the interface.

A failing assertion reverts with forge's text behind `assertion failed`; a message of the user's stands between.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from simulator.abi.types import AbiType, Value
from simulator.cheatcodes.core.errors import AssertionFailedError
from simulator.cheatcodes.core.registry import cheatcode, interface, members_of
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.values.units import decimal_text, shown

WHOLE = 10**18  # 100 %, in the unit of assertApproxEqRel
RATIO_DECIMALS = 16  # of a percent, in that unit

# How values must compare, and the sign between them in the text when they do not.
COMPARISONS: dict[str, tuple[Callable[[Value, Value], bool], str]] = {
    "Eq": (operator.eq, "!="),
    "NotEq": (operator.ne, "=="),
    "Lt": (operator.lt, ">="),  # type: ignore[dict-item]
    "Le": (operator.le, ">"),  # type: ignore[dict-item]
    "Gt": (operator.gt, "<="),  # type: ignore[dict-item]
    "Ge": (operator.ge, "<"),  # type: ignore[dict-item]
}
Show = Callable[[Value], str]


def _compare(name: str, types: tuple[AbiType, ...]) -> Callable[..., None]:
    holds, sign = COMPARISONS[name]
    kind = types[0]

    def check(_vm: Session, left: Value, right: Value, message: str | None = None) -> None:
        if not holds(left, right):
            raise AssertionFailedError(f"{shown(kind, left)} {sign} {shown(kind, right)}", message)

    return check


def _compare_decimal(name: str, _types: tuple[AbiType, ...]) -> Callable[..., None]:
    holds, sign = COMPARISONS[name]

    def check(_vm: Session, left: int, right: int, decimals: int, message: str | None = None) -> None:
        if not holds(left, right):
            raise AssertionFailedError(
                f"{decimal_text(left, decimals)} {sign} {decimal_text(right, decimals)}", message
            )

    return check


def _approximate(show: Callable[[int, int], str], left: int, right: int, most: int, message: str | None) -> None:
    delta = abs(left - right)
    if delta > most:
        details = f"{show(left, 0)} !~= {show(right, 0)} (max delta: {show(most, 0)}, real delta: {show(delta, 0)})"
        raise AssertionFailedError(details, message)


def _absolute(_vm: Session, left: int, right: int, most: int, message: str | None = None) -> None:
    _approximate(lambda value, _: str(value), left, right, most, message)


def _absolute_decimal(
    _vm: Session, left: int, right: int, most: int, decimals: int, message: str | None = None
) -> None:
    _approximate(lambda value, _: decimal_text(value, decimals), left, right, most, message)


def _relative(_vm: Session, left: int, right: int, most: int, message: str | None = None) -> None:
    _check_ratio(left, right, most, 0, message)


def _relative_decimal(
    _vm: Session, left: int, right: int, most: int, decimals: int, message: str | None = None
) -> None:
    _check_ratio(left, right, most, decimals, message)


def _check_ratio(left: int, right: int, most: int, decimals: int, message: str | None) -> None:
    """The distance must be at most `most` / 1e18 of the right value's size."""
    if left == right:
        return
    values = f"{decimal_text(left, decimals)} !~= {decimal_text(right, decimals)}"
    limit = f"max delta: {decimal_text(most, RATIO_DECIMALS)}%"
    if right == 0:
        raise AssertionFailedError(f"{values} ({limit}, real delta: undefined)", message)
    delta = abs(left - right) * WHOLE // abs(right)
    if delta > most:
        raise AssertionFailedError(f"{values} ({limit}, real delta: {decimal_text(delta, RATIO_DECIMALS)}%)", message)


def _expect(wanted: bool) -> Callable[..., None]:
    def check(_vm: Session, condition: bool, message: str | None = None) -> None:
        if condition is not wanted:
            raise AssertionFailedError("", message)

    return check


def _handler(name: str, types: tuple[AbiType, ...]) -> Callable[..., None]:
    plain = name.removeprefix("assert").removesuffix("Decimal")
    is_decimal = name.endswith("Decimal")
    if plain in ("True", "False"):
        return _expect(plain == "True")
    if plain == "ApproxEqAbs":
        return _absolute_decimal if is_decimal else _absolute
    if plain == "ApproxEqRel":
        return _relative_decimal if is_decimal else _relative
    return (_compare_decimal if is_decimal else _compare)(plain, types)


def _register() -> None:
    for signature in interface():
        name, _, rest = signature.partition("(")
        if name.startswith("assert"):
            cheatcode(signature)(_handler(name, members_of(f"({rest}")))


_register()
