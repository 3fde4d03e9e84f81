# mypy: disable-error-code="import-untyped, no-untyped-call, misc, unused-ignore, untyped-decorator, override"
"""Records for numba: each is a type of one int64, and its fields are loads and stores at constant offsets.

Import it before anything is compiled. `plain/records.py` is the plain twin and declares everything.
"""

from __future__ import annotations

import operator
from typing import Any, get_args, get_origin

from numba import types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    typeof_impl,
)

from simulator.evm.kernel.compiler import memory_access
from simulator.evm.kernel.compiler.word_type import I8, I32, I64, I256, u256
from simulator.evm.kernel.plain import records


def _label(place: Any) -> str:
    inner = ", ".join(_label(each) for each in get_args(place))
    kind = get_origin(place) or place
    return f"{kind.__module__}.{kind.__qualname__}" + (f"[{inner}]" if inner else "")


class PlaceType(types.Type):
    """A record or an array; `place` is its class, as `Oracle` or `Records[Oracle]`."""

    def __init__(self, place: Any) -> None:
        self.place = place
        self.kind = get_origin(place) or place
        super().__init__(name=_label(place))


class PlaceClassType(types.Callable, types.Opaque):
    """The class itself, which turns addresses into places."""

    def __init__(self, place: Any) -> None:
        self.place = place
        super().__init__(name=f"class({_label(place)})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        given = types.unliteral(args[0]) if len(args) == 1 and not kws else None
        if not isinstance(given, types.Integer):
            return None
        return signature(PlaceType(self.place), types.int64)

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return PlaceClassType


class FieldType(types.Opaque):
    """A field as an attribute of the class, for its offset."""

    def __init__(self, field: records.Field, owner: Any) -> None:
        self.field = field
        super().__init__(name=f"field({_label(owner)}.{field.name})")


@register_model(PlaceType)
class _PlaceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend: Any) -> None:
        super().__init__(manager, frontend, I64)


register_model(PlaceClassType)(models.OpaqueModel)
register_model(FieldType)(models.OpaqueModel)


@typeof_impl.register(records.PlaceClass)
@typeof_impl.register(type(records.Records[records.Cell]))
def _typeof_class(value: Any, context: Any) -> Any:
    return PlaceClassType(value)


@lower_builtin(PlaceClassType, types.int64)
def _lower_class(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


# --- memory ----------------------------------------------------------------------------------------------------------
# accessor -> (type in the kernel, type in memory, alignment), as in `memory_access.py`
_KINDS = {
    "i64": (types.int64, I64, 1),
    "i32": (types.int64, I32, 1),
    "u8": (types.int64, I8, 1),
    "word": (u256, I256, 8),
}


def _value_type(accessor: str) -> Any:
    return _KINDS[accessor][0]


def _load(builder: Any, where: Any, accessor: str) -> Any:
    _, kind, alignment = _KINDS[accessor]
    value = memory_access._load(builder, where, kind, alignment)
    if accessor == "i32":
        return builder.sext(value, I64)
    return builder.zext(value, I64) if accessor == "u8" else value


def _store(builder: Any, where: Any, value: Any, accessor: str) -> None:
    _, kind, alignment = _KINDS[accessor]
    if accessor in ("i32", "u8"):
        value = builder.trunc(value, kind)
    memory_access._store(builder, where, value, alignment)


# --- fields ----------------------------------------------------------------------------------------------------------
def _field(kind: PlaceType, name: str) -> records.Field | None:
    found = getattr(kind.kind, name, None)
    return found if isinstance(found, records.Field) else None


def _where(builder: Any, record: Any, field: records.Field) -> Any:
    return builder.add(record, I64(field.offset)) if field.offset else record


@infer_getattr
class _Attributes(AttributeTemplate):
    key = PlaceType

    def generic_resolve(self, kind: PlaceType, name: str) -> Any:
        field = _field(kind, name)
        if field is None:
            return None
        if isinstance(field, records.To | records.Inline):
            return PlaceType(field.place)
        return types.boolean if isinstance(field, records.Flag) else _value_type(field.accessor)


@lower_getattr_generic(PlaceType)
def _lower_get(context: Any, builder: Any, kind: Any, record: Any, name: str) -> Any:
    field = _field(kind, name)
    assert field is not None
    where = _where(builder, record, field)
    if isinstance(field, records.Inline):
        return where
    value = _load(builder, where, field.accessor)
    return builder.icmp_signed("!=", value, I64(0)) if isinstance(field, records.Flag) else value


@lower_setattr_generic(PlaceType)
def _lower_set(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    record, value = arguments
    field = _field(signature.args[0], name)
    if field is None or isinstance(field, records.Inline):
        raise TypeError(f"{name} cannot be assigned")
    if isinstance(field, records.Flag):
        value = builder.zext(value, I64)
    _store(builder, _where(builder, record, field), value, field.accessor)


@infer_getattr
class _ClassAttributes(AttributeTemplate):
    key = PlaceClassType

    def generic_resolve(self, kind: PlaceClassType, name: str) -> Any:
        value = getattr(kind.place, name, None)
        if isinstance(value, records.Field):
            return FieldType(value, kind.place)
        return types.int64 if isinstance(value, int) else None


@lower_getattr_generic(PlaceClassType)
def _lower_class_get(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    found = getattr(kind.place, name)
    return context.get_dummy_value() if isinstance(found, records.Field) else I64(found)


@infer_getattr
class _FieldAttributes(AttributeTemplate):
    key = FieldType

    def resolve_offset(self, kind: FieldType) -> Any:
        return types.int64


@lower_getattr_generic(FieldType)
def _lower_offset(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return I64(kind.field.offset)


# --- arrays ----------------------------------------------------------------------------------------------------------
def _element_type(kind: PlaceType) -> Any:
    if kind.kind in (records.Records, records.References):
        return PlaceType(get_args(kind.place)[0])
    return None if issubclass(kind.kind, records.Record) else _value_type(kind.kind.accessor)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index = args
        if isinstance(array, PlaceClassType) and isinstance(index, PlaceClassType):
            return signature(PlaceClassType(array.place[index.place]), array, index)
        if isinstance(array, PlaceType) and isinstance(index, types.Integer):
            element = _element_type(array)
            return signature(element, array, types.int64) if element else None
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index, _ = args
        if isinstance(array, PlaceType) and isinstance(index, types.Integer) and array.kind is not records.Records:
            element = _element_type(array)
            return signature(types.none, array, types.int64, element) if element else None
        return None


def _element_place(builder: Any, kind: Any, array: Any, index: Any) -> Any:
    return builder.add(array, builder.mul(index, I64(records.stride(kind.place))))


@lower_builtin(operator.getitem, PlaceType, types.int64)
def _lower_getitem(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0]
    where = _element_place(builder, kind, *arguments)
    return where if kind.kind is records.Records else _load(builder, where, getattr(kind.kind, "accessor", "i64"))


@lower_builtin(operator.getitem, PlaceClassType, PlaceClassType)
def _lower_class_of_array(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.get_dummy_value()


@lower_builtin(operator.setitem, PlaceType, types.int64, types.Any)
def _lower_setitem(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, index, value = arguments
    kind = signature.args[0]
    _store(builder, _element_place(builder, kind, array, index), value, getattr(kind.kind, "accessor", "i64"))
    return context.get_dummy_value()


def _move(function: Any, name: str) -> None:
    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            array, count = args
            if isinstance(array, PlaceType) and isinstance(count, types.Integer) and hasattr(array.kind, "bytes"):
                return signature(array, array, types.int64)
            return None

    @lower_builtin(function, PlaceType, types.int64)
    def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, count = arguments
        distance = builder.mul(count, I64(records.stride(signature.args[0].place)))
        return getattr(builder, name)(array, distance)


for _function, _name in ((operator.add, "add"), (operator.iadd, "add"), (operator.sub, "sub"), (operator.isub, "sub")):
    _move(_function, _name)


# --- null tests, comparison, addresses --------------------------------------------------------------------------------
def _one(function: Any, result: Any, emit: Any) -> None:
    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(result, args[0]) if len(args) == 1 and isinstance(args[0], PlaceType) else None

    @lower_builtin(function, PlaceType)
    def _lower(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)


def _two(function: Any, sign: str) -> None:
    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            left, right = args
            return signature(types.boolean, left, right) if isinstance(left, PlaceType) and left == right else None

    @lower_builtin(function, PlaceType, PlaceType)
    def _lower(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.icmp_signed(sign, *arguments)


_one(bool, types.boolean, lambda builder, place: builder.icmp_signed("!=", place, I64(0)))
_one(operator.not_, types.boolean, lambda builder, place: builder.icmp_signed("==", place, I64(0)))
_two(operator.eq, "==")
_two(operator.ne, "!=")


@intrinsic
def pointer(typing: Any, place: Any) -> Any:
    """The plain twin documents it."""
    if not isinstance(place, PlaceType):
        return None
    return types.int64(place), lambda context, builder, signature, arguments: arguments[0]
