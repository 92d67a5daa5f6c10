"""A reader understands each sentence once, because it begins with its subject."""

from __future__ import annotations

import pytest

from architecture.english import late_subjects, prose


def test_no_sentence_of_the_project_keeps_its_subject_back() -> None:
    found = [f"{place}: {sentence}" for place, text in prose() for sentence in late_subjects(text)]
    assert found == [], "say first what the sentence is about"


@pytest.mark.parametrize(
    "text",
    [
        "By which Spark knows the jobs.",
        "Whatever follows is passed over.",
        "It waits. Of these there are two.",
        "One thing:\n\n* Such a table is refused.",
        "| `x` | Who mistypes is told where |",
        'The first.) "Those that are left',
    ],
)
def test_a_late_subject_is_found_wherever_a_sentence_begins(text: str) -> None:
    assert len(late_subjects(text)) == 1


@pytest.mark.parametrize(
    "text", ["A table such as\nthis. It is one of those.", "```sql\nBy\n```", "Bywater is a name."]
)
def test_the_same_words_within_a_sentence_are_fine(text: str) -> None:
    assert late_subjects(text) == []
