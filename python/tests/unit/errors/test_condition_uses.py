"""All that the code raises stands in the condition file, with its parameters, and no reason stands elsewhere."""

from __future__ import annotations

import re

from hive_acid.errors import conditions
from hive_acid.errors.outcome import PARAMETER
from unit.errors.condition_uses import Use, find_uses, parse_python, parse_scala

RAISED = conditions.list_conditions()
_SENTENCE = re.compile(r"[a-z']{2,}( [a-z']+){2,}")
"""Three words without a capital: more than a name. What a statement is called is one, for all its words."""


def _expected(use: Use) -> frozenset[str]:
    """The parameters that the place must give. It need not give the outcome, which may be told later."""
    found = RAISED[use.name]
    asked = frozenset(conditions.PLACEHOLDER.findall(found.reason)) if use.is_refusal else found.parameters
    return asked - {PARAMETER}


def test_every_condition_and_sub_condition_is_raised_somewhere() -> None:
    """Those of hints have no place of their own: `unit/operators/test_hints.py` compares them with the hints."""
    expected = {name for name in RAISED if not name.startswith("HIVE_ACID_UNKNOWN_STATEMENT.")}
    assert sorted(expected - {use.name for use in find_uses()}) == []


def test_every_name_in_the_code_is_one_of_the_file() -> None:
    known = set(RAISED) | set(conditions.load_conditions())
    asked = [use for use in find_uses() if "." in use.name or use.texts is not None]
    assert [use for use in asked if use.name not in known] == []


def test_no_error_is_built_of_a_main_condition_that_has_sub_conditions() -> None:
    assert [use for use in find_uses() if use.texts is not None and use.name not in RAISED] == []


def test_every_parameter_of_a_template_is_given_and_no_other() -> None:
    wrong = [
        (use.place, use.name, sorted(_expected(use) ^ given))
        for use in find_uses()
        if use.texts is not None and use.name in RAISED and _expected(use) != (given := set(use.texts) - {PARAMETER})
    ]
    assert wrong == []


def test_the_reason_of_a_refusal_stands_in_the_file_alone() -> None:
    found = [
        (use.place, key, text)
        for use in find_uses()
        if "." in use.name
        for key, text in (use.texts or {}).items()
        if key != "operation" and _SENTENCE.search(text)
    ]
    assert found == []


def test_these_checks_see_what_they_look_for() -> None:
    (one,) = parse_python('build_error("HIVE_ACID_X.YES", reason=f"{a} is not to be read")', "a.py")
    assert (one.name, one.texts) == ("HIVE_ACID_X.YES", {"reason": " is not to be read"})
    assert _SENTENCE.search("is not to be read")
    (two,) = parse_python('found = {"b": 1}\nbuild_refusal("HIVE_ACID_X.YES", **found)', "a.py")
    assert (two.texts, two.is_refusal) == ({"b": ""}, True)
    (three,) = parse_scala('throw AcidException("HIVE_ACID_X", Map("a" -> f(x), "b" -> s"it is $y"), e)', "a.scala")
    assert three.texts == {"a": "", "b": 's"it is $y"'}
    (five,) = parse_scala('val found = Map("c" -> x)\n throw g("a", Refusal("HIVE_ACID_X.YES", found))', "a.scala")
    assert five.texts == {"c": ""}
    (four,) = parse_scala('Refusal(\n  "HIVE_ACID_X.YES",\n  Map("a" -> x)\n)', "a.scala")
    assert (four.place, four.is_refusal, four.texts) == ("a.scala:2", True, {"a": ""})
