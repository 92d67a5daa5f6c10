# ruff: noqa: RUF001 (the names are of many scripts)
"""Names in many scripts, the ways in which they are spelled, and the kinds of texts that they stand in."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote, quote_plus

NAMES: Mapping[str, tuple[str, ...]] = {
    "Latin": ("Ann Lee", "Martin King Jr.", "José Núñez", "Jürgen Groß", "Łukasz Żak", "Nguyễn Thị Ánh", "İpek Işık"),
    "Greek": ("Νίκος Παπαδόπουλος",),
    "Cyrillic": ("Йосип Жуков", "Ёлкина Мария"),
    "Armenian": ("Արամ Խաչատրյան",),
    "Georgian": ("შოთა რუსთაველი",),
    "Hebrew": ("שָׂרָה כהן",),
    "Arabic": ("مُحَمَّد عليّ", "فاطمة الزهراء"),
    "Devanagari": ("मोदी", "श्री हरि"),
    "Bengali": ("রবীন্দ্রনাথ ঠাকুর", "মোহন"),
    "Tamil": ("கௌரி",),
    "Telugu": ("కృష్ణ",),
    "Kannada": ("ಕೃಷ್ಣ",),
    "Malayalam": ("കൃഷ്ണൻ",),
    "Sinhala": ("ශ්‍රීමතී",),
    "Thai": ("สมศรี", "น้ำผึ้ง"),
    "Lao": ("ບຸນມີ",),
    "Khmer": ("សុខា",),
    "Burmese": ("အောင်ဆန်း",),
    "Tibetan": ("བསྟན་འཛིན",),
    "Hangul": ("김철수",),
    "Han": ("山田太郎", "王小明"),
    "Kana": ("ガンダム さくら",),
    "Ethiopic": ("አበበ ቢቂላ",),
    "signs": (
        *(
            "+491709998877",
            "(030) 123-4567",
            "@annlee",
            "#4711x",
            "C++",
            "_ann",
            "😀",
            "ann.lee@x.org",
            "O'Neil",
            "a&b",
        ),
        *('Ann "Ace" Lee', "back\\slash", "100 % Ann", "Ann, Lee; and | others", "-ann-", "ann/lee=x"),
        "a name of more than eight words is a name of somebody all the same",
    ),
}
_FORMS: tuple[Callable[[str], str], ...] = (
    lambda name: name,
    lambda name: unicodedata.normalize("NFC", name),
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: unicodedata.normalize("NFKC", name),
    lambda name: unicodedata.normalize("NFKD", name),
    str.lower,
    str.upper,
    str.title,
    str.casefold,
    lambda name: name.replace(" ", "\u00a0"),
    lambda name: name.replace(" ", "  "),
    lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name),
    lambda name: name[:1] + "\u200d" + name[1:],
    lambda name: name[:2] + "\u00ad" + name[2:],
)
TEXTS: Mapping[str, Callable[[str], str]] = {
    "the name alone": lambda name: name,
    "a sentence": lambda name: f"asked for by {name} on Monday.",
    "JSON of ASCII": lambda name: json.dumps({"note": f"for {name}", "n": 1}),
    "JSON": lambda name: json.dumps([name, 1], ensure_ascii=False),
    "JSON in JSON": lambda name: json.dumps(json.dumps({"who": name})),
    "an SQL literal": lambda name: f"DELETE FROM t WHERE who = '{name.replace(chr(39), chr(39) * 2)}' AND id = 7",
    "a folder": lambda name: f"hdfs://n/t/who={quote(name, safe=' ')}/bucket_00000",
    "a query of a URL": lambda name: f"https://x/find?q={quote_plus(name)}&n=1",
    "CSV": lambda name: f'7,"{name.replace(chr(34), chr(34) * 2)}",x\n',
    "lines of keys and values": lambda name: f"id\t7\nwho\t{name}\nx=1\n",
    "HTML": lambda name: f"<td>{html.escape(name)}</td>",
    "a message in brackets": lambda name: f"[FAILED] no value ({name}): try again",
    "Python's spelling": lambda name: f"KeyError: {name!a}",
}


def find_spellings() -> Iterator[tuple[str, str]]:
    """The name as it was given, and a spelling of it; each once."""
    pairs = ((name, form(name)) for names in NAMES.values() for name in names for form in _FORMS)
    signed = (
        (f"{before}{name}{after}", form(f"{before}{name}{after}"))
        for names in NAMES.values()
        for name in names[:1]
        for before, after in (("+", ""), ("(", ")"), ("", " Jr."), ("@", "!"), ("«", "»"), ("$", "%"))
        for form in _FORMS
    )
    yield from dict.fromkeys((*pairs, *signed))
