"""What a history says about one name: which rows and notes may be there, and which must, at what time.

An operation takes effect at some moment between being asked for and its end; one whose end is unknown may do so at any
time later, or never. So one certainly precedes another if it has ended before the other is asked for, and may precede
it if it is asked for before the other has ended.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from support.chaos.events import Effect, EffectKind, Operation, Region
from support.chaos.rows import Place, Slot
from support.client_history import Outcome

HAPPENED = (Outcome.OK, Outcome.UNKNOWN)


@dataclass(frozen=True)
class Span:
    """When an effect can have come about; `is_certain` if it did."""

    number: int
    asked_at: float
    ended_at: float
    is_certain: bool
    region: Region
    target: int = 0

    def surely_follows(self, other: Span) -> bool:
        """True if it came about, after the other."""
        return self.is_certain and other.ended_at < self.asked_at

    def may_follow(self, other: Span) -> bool:
        """True if it can have come about after the other."""
        return other.asked_at < self.ended_at


@dataclass
class Fate:
    """What became of a row or note that was added: what removed it, moved it, or counted in it, in the order asked."""

    added: Span
    removals: list[Span]
    moves: list[Span]
    increases: list[Span]

    def may_be_gone_from(self) -> float:
        """Until then it certainly is there, once it was added."""
        return min((span.asked_at for span in self.removals), default=math.inf)


@dataclass
class TableHistory:
    """All that happened to the tables of one name."""

    slot: Slot
    rows: dict[int, Fate] = field(default_factory=dict)
    notes: dict[str, Fate] = field(default_factory=dict)
    bindings: list[Span] = field(default_factory=list)
    unbindings: list[Span] = field(default_factory=list)
    trials: list[Span] = field(default_factory=list)
    """Statements that failed and had bound the name for a time."""
    _lasting: list[tuple[float, int]] = field(default_factory=list)
    """By the time from which a row may be gone, its key; in this order."""

    def keys_lasting_to(self, moment: float) -> list[int]:
        """The rows that nothing can have removed before."""
        first = bisect.bisect_left(self._lasting, moment, key=lambda pair: pair[0])
        return [key for _, key in self._lasting[first:]]

    def index(self) -> None:
        """To be called when all rows are there."""
        self._lasting = sorted((fate.may_be_gone_from(), key) for key, fate in self.rows.items())

    def may_be_missing(self, start: float, end: float) -> bool:
        """True if there can have been no table of the name at some time between."""
        born = (-math.inf, self._bound_again(-math.inf))
        gaps = [born, *((span.asked_at, self._bound_again(_known_end(span))) for span in self.unbindings)]
        return any(gap_start < end and start < gap_end for gap_start, gap_end in gaps)

    def must_be_missing(self, start: float, end: float) -> bool:
        """True if there was certainly none all the time between."""
        if any(span.asked_at < end and start < span.ended_at for span in self.trials):
            return False
        before = [span.ended_at for span in self.unbindings if span.is_certain and span.ended_at < start]
        latest = max(before, default=-math.inf)
        return not any(span.ended_at > latest and span.asked_at < end for span in self.bindings)

    def _bound_again(self, moment: float) -> float:
        return min(
            (span.ended_at for span in self.bindings if span.is_certain and span.ended_at > moment), default=math.inf
        )


def _known_end(span: Span) -> float:
    """Whoever does not know looks, and says so by a binding of its own."""
    return span.ended_at if span.is_certain else span.asked_at


def build_tables(history: Iterable[Operation], slots: Sequence[Slot]) -> dict[str, TableHistory]:
    """By name."""
    found: dict[str, dict[EffectKind, list[tuple[Span, Effect]]]] = {slot.name: defaultdict(list) for slot in slots}
    tables = {slot.name: TableHistory(slot) for slot in slots}
    for operation in sorted(history, key=lambda operation: operation.asked_at):
        for effect in operation.effects:
            table = tables[effect.slot]
            if operation.outcome in HAPPENED:
                found[effect.slot][effect.kind].append((_span(operation, effect), effect))
            elif effect.kind is EffectKind.BIND:
                table.trials.append(_span(operation, effect))
    for name, table in tables.items():
        _fill(table, found[name])
    return tables


def _fill(table: TableHistory, effects: dict[EffectKind, list[tuple[Span, Effect]]]) -> None:
    def spans_of(*kinds: EffectKind) -> list[Span]:
        merged = (span for kind in kinds for span, _ in effects[kind])
        return sorted(merged, key=lambda span: span.asked_at)

    table.bindings, table.unbindings = spans_of(EffectKind.BIND), spans_of(EffectKind.UNBIND)
    removals, moves = spans_of(EffectKind.REMOVE, EffectKind.UNBIND), spans_of(EffectKind.MOVE)
    increases = spans_of(EffectKind.INCREASE)
    for added, effect in effects[EffectKind.ADD]:
        later = [[span for span in spans if span.may_follow(added)] for spans in (removals, moves, increases)]
        for key in effect.keys:
            table.rows[key] = _trace(key, table.slot.place_of(key), added, (later[0], later[1], later[2]))
    for added, effect in effects[EffectKind.NOTE]:
        gone = [span for span in table.unbindings if span.may_follow(added)]
        table.notes[effect.note] = Fate(added, gone, [], [])
    table.index()


def _trace(key: int, place: Place, added: Span, spans: tuple[list[Span], list[Span], list[Span]]) -> Fate:
    removals, moves, increases = spans
    moved = [span for span in moves if _can_touch(span, key, place, added)]
    places = [place, *((span.target, place[1]) for span in moved)]
    removed, end = [], math.inf
    for span in removals:
        if span.asked_at > end:  # what is asked for later finds nothing any more
            break
        if any(_can_touch(span, key, where, added) for where in places):
            removed.append(span)
            if not moved and span.surely_follows(added):
                end = min(end, span.ended_at)
    return Fate(added, removed, moved, [span for span in increases if _can_touch(span, key, place, added)])


def _can_touch(span: Span, key: int, place: Place, added: Span) -> bool:
    return span.may_follow(added) and span.number != added.number and span.region.covers(key, place)


def _span(operation: Operation, effect: Effect) -> Span:
    is_certain = operation.outcome is Outcome.OK
    end = operation.ended_at if is_certain else math.inf
    return Span(operation.number, operation.asked_at, end, is_certain, effect.region, effect.moved_to)
