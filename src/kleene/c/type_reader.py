"""clang's types as the types of the control-flow automaton, with record layouts collected on the way."""

from __future__ import annotations

import re
from typing import Any

from kleene.c.clang import cindex, kind
from kleene.c.declarations.opaque import opaque_name
from kleene.cfa.types import (
    BOOL,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    RecordField,
    RecordLayout,
    RecordType,
    Type,
    VoidType,
    same_layout,
)

_INTEGERS = {
    "CHAR_U": "char",
    "CHAR_S": "char",
    "SCHAR": "signed char",
    "UCHAR": "unsigned char",
    "SHORT": "short",
    "USHORT": "unsigned short",
    "INT": "int",
    "UINT": "unsigned int",
    "LONG": "long",
    "ULONG": "unsigned long",
    "LONGLONG": "long long",
    "ULONGLONG": "unsigned long long",
    "INT128": "__int128",
    "UINT128": "unsigned __int128",
    "WCHAR": "wchar_t",
    "CHAR16": "char16_t",
    "CHAR32": "char32_t",
}
_UNSIGNED = {"CHAR_U", "UCHAR", "USHORT", "UINT", "ULONG", "ULONGLONG", "UINT128", "CHAR16", "CHAR32"}
_OWN_NAME = re.compile(r"\b(struct|union|enum)\b")
"""In the spelling of a type: what a block can declare again."""
_FLOATS = {"FLOAT", "DOUBLE", "LONGDOUBLE", "FLOAT128", "FLOAT16", "HALF"}
_OF_ELEMENTS = ("VECTOR", "EXTVECTOR", "COMPLEX")


class TypeReader:
    """Reads the types of one file; records of the whole program are shared through `records`."""

    def __init__(self, records: dict[str, RecordLayout], pointer_size: int) -> None:
        self.records = records
        self.pointer_size = pointer_size
        self._named: dict[str, RecordType] = {}
        self._read: dict[str, Type] = {}

    def read(self, type_: Any) -> Type:
        """The type without its typedefs and qualifiers."""
        canonical = type_.get_canonical()
        key = str(canonical.spelling)
        if key not in self._read:
            result = self._canonical(canonical)
            if _OWN_NAME.search(key):  # another scope may have another type of this name
                return result
            self._read[key] = result
        return self._read[key]

    def _canonical(self, type_: Any) -> Type:
        name = type_.kind.name
        if name in _INTEGERS:
            return IntegerType(type_.get_size() * 8, signed=name not in _UNSIGNED, name=_INTEGERS[name])
        if name == "BOOL":
            return BOOL
        if name == "ENUM":
            return self._enum(type_)
        if name in _FLOATS:
            return FloatType(type_.get_size() * 8, name=_unqualified(type_))
        if name == "POINTER":
            return self.pointer(self.read(type_.get_pointee()))
        if name == "ATOMIC":  # as in a program of one thread
            return self.read(cindex().conf.lib.clang_Type_getValueType(type_))
        if name == "RECORD":
            return self._record(type_)
        if name == "CONSTANTARRAY":
            return ArrayType(self.read(type_.element_type), int(type_.element_count))
        if name in ("INCOMPLETEARRAY", "VARIABLEARRAY"):
            return ArrayType(self.read(type_.element_type), 0)
        if name == "FUNCTIONPROTO":
            parameters = tuple(self.parameter(p) for p in type_.argument_types())
            return FunctionType(self.read(type_.get_result()), parameters, variadic=type_.is_function_variadic())
        if name == "FUNCTIONNOPROTO":
            return FunctionType(self.read(type_.get_result()), (), variadic=True)
        return VOID if name == "VOID" or type_.get_size() <= 0 else self._parts(type_)

    def _parts(self, type_: Any) -> RecordType:
        """A vector, a complex number or what else has no operations here: its bytes, as a struct of one array."""
        size, element = int(type_.get_size()), type_.element_type if type_.kind.name in _OF_ELEMENTS else None
        part = self.read(element) if element is not None else IntegerType(8, signed=False, name="unsigned char")
        record = RecordType(opaque_name(_unqualified(type_)), size)
        whole = RecordField("parts", ArrayType(part, size // part.size), 0)
        self.records[record.name] = RecordLayout(record, (whole,), alignment=max(int(type_.get_align()), 1))
        return record

    def pointer(self, target: Type) -> PointerType:
        return PointerType(target, self.pointer_size)

    def parameter(self, type_: Any) -> Type:
        """The type of a parameter: libclang gives it as it is written, C adjusts it (C17, 6.7.6.3)."""
        return self.decay(self.read(type_))

    def decay(self, type_: Type) -> Type:
        """An array as a pointer to its elements, a function as a pointer to it (C17, 6.3.2.1)."""
        if isinstance(type_, ArrayType):
            return self.pointer(type_.element)
        return self.pointer(type_) if isinstance(type_, FunctionType) else type_

    @staticmethod
    def _enum(type_: Any) -> Type:
        declared = type_.get_declaration().enum_type.get_canonical()
        signed = declared.kind.name not in _UNSIGNED
        size = type_.get_size() if type_.get_size() > 0 else 4
        return IntegerType(size * 8, signed=signed, name=str(type_.spelling).removeprefix("const "))

    def _record(self, type_: Any) -> RecordType:
        declaration = type_.get_declaration()
        usr = declaration.get_usr()
        if declaration.is_anonymous() or not declaration.spelling or "(" in declaration.spelling or not usr:
            place = declaration.location  # records without a name in one record share a USR
            usr = f"{usr}@{place.file}:{place.offset}@{declaration.hash}"
        if usr in self._named:
            return self._named[usr]
        definition = declaration.get_definition()
        keyword = "union" if kind(declaration) == "UNION_DECL" else "struct"
        tag = declaration.spelling
        if declaration.is_anonymous() or "(" in tag or not tag:
            location = declaration.location
            tag = _typedef_name(type_) or f"<anonymous {location.line}:{location.column}>"
            name = tag if not tag.startswith("<") else f"{keyword} {tag}"
        else:
            name = f"{keyword} {tag}"
        return self._define(usr, name, keyword, definition)

    def _define(self, usr: str, name: str, keyword: str, definition: Any) -> RecordType:
        if definition is None:
            self._named[usr] = RecordType(name, 0, complete=False)
            return self._named[usr]
        size = definition.type.get_size()
        self._named[usr] = RecordType(name, max(size, 0))
        layout = self._layout(self._named[usr], definition, keyword)
        base, number = name, 1
        while name in self.records and not same_layout(self.records[name], layout):
            number += 1
            name = f"{base}#{number}"
        if name != base:
            self._named[usr] = RecordType(name, max(size, 0))
            layout = self._layout(self._named[usr], definition, keyword)
        self.records[name] = layout
        return self._named[usr]

    def _layout(self, type_: RecordType, definition: Any, keyword: str) -> RecordLayout:
        fields = []
        for field in definition.type.get_fields():
            bits = int(cindex().conf.lib.clang_Cursor_getOffsetOfField(field))
            read = self.read(field.type)
            name = "" if "(" in field.spelling else field.spelling
            if field.is_bitfield():
                width = int(field.get_bitfield_width())
                unit = max(read.size, 1) * 8
                start = bits // unit * unit
                fields.append(RecordField(name, read, start // 8, bits - start, width))
            else:
                fields.append(RecordField(name, read, bits // 8))
        alignment = max(int(definition.type.get_align()), 1)
        return RecordLayout(type_, tuple(fields), union=keyword == "union", alignment=alignment)


def _typedef_name(type_: Any) -> str:
    spelling = str(type_.spelling).removeprefix("const ").removeprefix("volatile ")
    return spelling if spelling.isidentifier() else ""


def is_variable_array(type_: Any) -> bool:
    """Whether a type of clang is an array of variable length."""
    return bool(type_.get_canonical().kind.name == "VARIABLEARRAY")


def is_variable_size(type_: Type) -> bool:
    """Whether a type is an array whose length is not known from it."""
    while isinstance(type_, ArrayType):
        if not type_.count:
            return True
        type_ = type_.element
    return False


def is_constant(type_: Any) -> bool:
    """Whether an object of the type may not be written. Only a canonical type has what elements and typedefs say."""
    return bool(type_.get_canonical().is_const_qualified())


def integer_promotion(type_: Type) -> Type:
    """The type after C's integer promotions."""
    if isinstance(type_, IntegerType) and type_.bits < 32:
        return IntegerType(32, signed=True, name="int")
    return type_


def common_type(left: Type, right: Type) -> Type:
    """The result of C's usual arithmetic conversions."""
    if isinstance(left, FloatType) or isinstance(right, FloatType):
        floats = [t for t in (left, right) if isinstance(t, FloatType)]
        return max(floats, key=lambda t: t.bits)
    left, right = integer_promotion(left), integer_promotion(right)
    if not isinstance(left, IntegerType) or not isinstance(right, IntegerType):
        return left
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if not left.signed else right


def _unqualified(type_: Any) -> str:
    return re.sub(r"\b(const|volatile|restrict)\b ?", "", str(type_.spelling))


def is_void(type_: Type) -> bool:
    return isinstance(type_, VoidType)
