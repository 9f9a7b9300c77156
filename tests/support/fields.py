"""The byte form of nouns (base/fields.h) for tests: a type is an object with `put(out, value)` and `get(reader)`.

Structs are plain dicts; a field that is missing has its type's default. The nouns at the end mirror model/*.h.
"""
from __future__ import annotations

import re
import struct
from pathlib import Path


class Reader:
    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        if self.place + count > len(self.data):
            raise ValueError("truncated")
        self.place += count
        return self.data[self.place - count:self.place]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7


def put_varint(out: bytearray, value: int) -> None:
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


class Unsigned:
    default = 0

    def put(self, out, value):
        put_varint(out, value)

    def get(self, reader):
        return reader.varint()


class Signed:
    default = 0

    def put(self, out, value):
        put_varint(out, (value << 1 ^ value >> 63) & (1 << 64) - 1)

    def get(self, reader):
        raw = reader.varint()
        return raw >> 1 ^ -(raw & 1)


class Bool:
    default = False

    def put(self, out, value):
        out.append(1 if value else 0)

    def get(self, reader):
        return reader.take(1) == b"\1"


class Double:
    default = 0.0

    def put(self, out, value):
        out += struct.pack("<d", value)

    def get(self, reader):
        return struct.unpack("<d", reader.take(8))[0]


class Text:
    default = ""

    def put(self, out, value):
        data = value.encode("utf-8", "surrogatepass")
        put_varint(out, len(data))
        out += data

    def get(self, reader):
        return reader.take(reader.varint()).decode("utf-8", "surrogatepass")


class Hash:
    default = bytes(16)

    def put(self, out, value):
        out += value

    def get(self, reader):
        return reader.take(16)


class Vector:
    default = ()

    def __init__(self, item):
        self.item = item

    def put(self, out, value):
        put_varint(out, len(value))
        for item in value:
            self.item.put(out, item)

    def get(self, reader):
        return [self.item.get(reader) for _ in range(reader.varint())]


class Optional:
    default = None

    def __init__(self, item):
        self.item = item

    def put(self, out, value):
        out.append(value is not None)
        if value is not None:
            self.item.put(out, value)

    def get(self, reader):
        return self.item.get(reader) if reader.take(1) == b"\1" else None


class Pair:
    def __init__(self, first, second):
        self.types = first, second

    def put(self, out, value):
        for kind, item in zip(self.types, value, strict=True):
            kind.put(out, item)

    def get(self, reader):
        return tuple(kind.get(reader) for kind in self.types)


class Struct:
    default: dict = {}

    def __init__(self, **fields):
        self.fields = fields

    def put(self, out, value):
        unknown = value.keys() - self.fields.keys()
        if unknown:
            raise ValueError(f"no such field: {sorted(unknown)}")
        for name, kind in self.fields.items():
            kind.put(out, value.get(name, kind.default))

    def get(self, reader):
        return {name: kind.get(reader) for name, kind in self.fields.items()}


def encode(kind, value) -> bytes:
    out = bytearray()
    kind.put(out, value)
    return bytes(out)


def decode(kind, data: bytes):
    reader = Reader(data)
    value = kind.get(reader)
    if reader.place != len(data):
        raise ValueError("bytes are left over")
    return value


def numbers(table: str) -> dict[str, int]:
    """Text name -> number of the rows of model/<table>.def."""
    source = (Path(__file__).resolve().parents[2] / "model" / f"{table}.def").read_text()
    return {text: int(number) for number, text in re.findall(r'^FRAMEGATE_\w+\((\d+), \w+, "([^"]*)"', source, re.MULTILINE)}


CONSTANT = Struct(kind=Unsigned(), integer=Signed(), real=Double(), imaginary=Double(), text=Text())
CONSTANT.fields.update(items=Vector(CONSTANT), code=Vector(None))   # code images are not written here
INTS = Vector(Signed())
TENSOR_FACTS = Struct(dtype=Text(), device=Text(), layout=Text(), requires_grad=Bool(), is_leaf=Bool(), is_inference=Bool(),
                      has_grad=Bool(), sizes=INTS, strides=INTS, storage_offset=Signed(), keys=Unsigned(), dynamic_dims=INTS,
                      static_dims=INTS)
OPERAND = Struct(handle=Unsigned(), constant=Optional(CONSTANT), tensor=Optional(TENSOR_FACTS))
OPERAND.fields.update(items=Vector(OPERAND), sequence=Text())
KEYWORDS = Vector(Pair(Text(), OPERAND))
QUESTION = Struct(kind=Unsigned(), object=Unsigned(), step=Unsigned(), fact=Unsigned(), index=Unsigned(), key=CONSTANT, code=Hash(),
                  symbol=Text(), args=Vector(OPERAND), kwargs=KEYWORDS, ambient=CONSTANT)
