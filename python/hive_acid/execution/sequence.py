"""Steps in one order, which the type checker holds: each gets what those before it have found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar, cast

from hive_acid.execution.watch import Phase, Watch


class _Watched(Protocol):
    watch: Watch


_S = TypeVar("_S", bound=_Watched)
_A = TypeVar("_A")
_B_co = TypeVar("_B_co", covariant=True)
_C = TypeVar("_C")


class _Kind(Enum):
    FINDS = "gives the next stage"
    ACTS = "gives nothing"
    ENDS = "tells whether there is nothing left to do"


@dataclass(frozen=True)
class _Step:
    function: Callable[..., Any]
    kind: _Kind
    phase: Phase | None


class Steps(Generic[_S, _A, _B_co]):
    """Steps within a scope `S`, from a stage `A` to a stage `B`.

    A walk that ends early has come to an earlier stage, of which `B` has to be a base class.
    """

    def __init__(self, steps: Sequence[_Step] = (), phase: Phase | None = None) -> None:
        """Without steps, `A` and `B` are the same. Steps that are added are of the phase, or of none."""
        self._steps = tuple(steps)
        self._phase = phase

    def during(self, phase: Phase) -> Steps[_S, _A, _B_co]:
        """And the steps that follow are of this phase."""
        return Steps(self._steps, phase)

    def then(self, find: Callable[[_S, _B_co], _C]) -> Steps[_S, _A, _C]:
        """And a step that gives the next stage."""
        return Steps((*self._steps, _Step(find, _Kind.FINDS, self._phase)), self._phase)

    def do(self, *actions: Callable[[_S, _B_co], None]) -> Steps[_S, _A, _B_co]:
        """And steps that check or change something, and add nothing to the stage."""
        added = (_Step(action, _Kind.ACTS, self._phase) for action in actions)
        return Steps((*self._steps, *added), self._phase)

    def unless(self, is_over: Callable[[_S, _B_co], bool]) -> Steps[_S, _A, _B_co]:
        """And a step that tells whether the walk ends here."""
        return Steps((*self._steps, _Step(is_over, _Kind.ENDS, self._phase)), self._phase)

    def without(self, *left_out: Callable[..., None] | Callable[..., bool]) -> Steps[_S, _A, _B_co]:
        """But for these, which add nothing to a stage. Raises ValueError for another one."""
        removable = {step.function for step in self._steps if step.kind is not _Kind.FINDS}
        if not removable.issuperset(left_out):
            raise ValueError("only steps of the sequence that add nothing can be left out")
        return Steps([step for step in self._steps if step.function not in left_out])

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """All steps, in order."""
        return tuple(step.function for step in self._steps)

    def walk(self, scope: _S, first: _A) -> _B_co:
        """The stage at the end. The scope's watch is told of the phases."""
        stage: Any = first
        for phase, steps in groupby(self._steps, attrgetter("phase")):
            with scope.watch.during(phase):
                for step in steps:
                    given = step.function(scope, stage)
                    if step.kind is _Kind.ENDS and given:
                        return cast("_B_co", stage)
                    if step.kind is _Kind.FINDS:
                        stage = given
        return cast("_B_co", stage)
