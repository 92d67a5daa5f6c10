"""Calls of the metastore that the product does not make, so that its own description of the service lacks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thrift.Thrift import TApplicationException, TMessageType, TType

from hive_acid.metastore.generated import ttypes

Write = Callable[[Any], None]
"""Writes a value to a protocol."""


class MoreCalls:
    """Sends them over the connection of a generated client. They raise what the metastore declares."""

    def __init__(self, client: Any) -> None:
        self._input, self._output = client._iprot, client._oprot

    def drop_table(self, database: str, table: str) -> None:
        """With its files."""
        arguments = [_text(database), _text(table), _truth(True)]
        self._call("drop_table", arguments, [ttypes.NoSuchObjectException, ttypes.MetaException])

    def drop_partition(self, database: str, table: str, values: Sequence[str]) -> None:
        """With its files."""
        arguments = [_text(database), _text(table), _texts(values), _truth(True)]
        self._call("drop_partition", arguments, [ttypes.NoSuchObjectException, ttypes.MetaException])

    def rename_partition(self, database: str, table: str, values: Sequence[str], partition: Any) -> None:
        """`partition` has the new values."""
        arguments = [_text(database), _text(table), _texts(values), (TType.STRUCT, partition.write)]
        self._call("rename_partition", arguments, [ttypes.InvalidOperationException, ttypes.MetaException])

    def exchange_partition(self, values: Mapping[str, str], source: Sequence[str], target: Sequence[str]) -> None:
        """From one table, given as database and name, to another."""
        arguments = [_map(values), *(_text(part) for part in (*source, *target))]
        errors = [
            ttypes.MetaException,
            ttypes.NoSuchObjectException,
            ttypes.InvalidObjectException,
            ttypes.InvalidOperationException,  # in truth InvalidInputException, of the same shape
        ]
        self._call("exchange_partition", arguments, errors)

    def _call(self, method: str, arguments: Sequence[tuple[int, Write]], errors: Sequence[type[Any]]) -> None:
        output = self._output
        output.writeMessageBegin(method, TMessageType.CALL, 0)
        output.writeStructBegin(f"{method}_args")
        for number, (kind, write) in enumerate(arguments, 1):
            output.writeFieldBegin("", kind, number)
            write(output)
            output.writeFieldEnd()
        output.writeFieldStop()
        output.writeStructEnd()
        output.writeMessageEnd()
        output.trans.flush()
        self._receive(errors)

    def _receive(self, errors: Sequence[type[Any]]) -> None:
        _, kind, _ = self._input.readMessageBegin()
        failure: Any = TApplicationException() if kind == TMessageType.EXCEPTION else None
        if failure is not None:
            failure.read(self._input)
        else:
            failure = self._read_result(errors)
        self._input.readMessageEnd()
        if failure is not None:
            raise failure

    def _read_result(self, errors: Sequence[type[Any]]) -> Any:
        failure = None
        self._input.readStructBegin()
        while True:
            _, kind, number = self._input.readFieldBegin()
            if kind == TType.STOP:
                break
            if number == 0:  # what it returns
                self._input.skip(kind)
            else:
                failure = errors[number - 1].read(self._input)
            self._input.readFieldEnd()
        self._input.readStructEnd()
        return failure


def _text(value: str) -> tuple[int, Write]:
    return TType.STRING, lambda output: output.writeString(value)


def _truth(value: bool) -> tuple[int, Write]:
    return TType.BOOL, lambda output: output.writeBool(value)


def _texts(values: Sequence[str]) -> tuple[int, Write]:
    def write(output: Any) -> None:
        output.writeListBegin(TType.STRING, len(values))
        for value in values:
            output.writeString(value)
        output.writeListEnd()

    return TType.LIST, write


def _map(values: Mapping[str, str]) -> tuple[int, Write]:
    def write(output: Any) -> None:
        output.writeMapBegin(TType.STRING, TType.STRING, len(values))
        for key, value in values.items():
            output.writeString(key)
            output.writeString(value)
        output.writeMapEnd()

    return TType.MAP, write
