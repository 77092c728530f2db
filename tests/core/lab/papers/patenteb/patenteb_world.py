"""Fifteen small tables in exactly the published columns, about bicycles, kettles and pumps of nobody's."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow
import pyarrow.parquet

THINGS = {
    "B62": ("bicycle", "frame", "wheel", "pedal", "saddle"),
    "A47": ("kettle", "spout", "handle", "lid", "boiling"),
    "F04": ("pump", "impeller", "shaft", "seal", "pressure"),
}
KINDS = ("folding", "steel", "quiet", "electric", "wooden", "double", "sealed", "portable", "glass", "heated")
SYMMETRIC = ("retrieval_IN", "retrieval_OUT", "retrieval_MIXED")
ASYMMETRIC = {
    "title2full": ("title", "full_text", True),
    "problem2full": ("problem", "full_text", True),
    "effect2full": ("effect", "full_text", False),
    "effect2substance": ("effect", "substance", False),
    "problem2solution": ("problem", "solution", True),
}


def family(number: int) -> str:
    """An identifier as Lens.org gives them."""
    return "-".join(f"{number * step % 1000:03}" for step in (1, 7, 13, 29, 1))


def families() -> list[tuple[str, str, str]]:
    """(identifier, domain, text) of 30 families: title, abstract and claim with separators."""
    found = []
    for number, (domain, part) in enumerate(product(THINGS, range(10))):
        words = THINGS[domain]
        one, other = words[1 + part % 4], words[1 + (part + 1 + part // 4) % 4]
        title = f"{KINDS[part]} {words[0]} having {one} and {other}"
        abstract = f"the {one} of the {words[0]} carries the {other} number{part}."
        found.append(
            (family(number), domain, f"{title} [SEP] {abstract} [SEP] {words[0]} with {one}, {other}.")
        )
    return found


def write_table(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def write_benchmark(folder: Path) -> Path:
    """All fifteen folders."""
    every = families()
    for name in SYMMETRIC:
        write_table(folder / name / "data" / "test-00000-of-00001.parquet", _triplets(every))
    for name, (part, whole, domains) in ASYMMETRIC.items():
        write_table(folder / name / "test.parquet", _fragments(every, part, whole, domains=domains))
    for name in ("para_problem", "para_solution"):
        write_table(folder / name / "test" / "0000.parquet", _pairs(every))
    for name, rows in (
        ("class_text2ipc3", _classes(every)),
        ("class_bloom", _bloom(every)),
        ("class_nli_oldnew", _nli(every)),
    ):
        write_table(folder / name / "train.parquet", rows[::2])
        write_table(folder / name / "test.parquet", rows[1::2])
    for name in ("clusters_ext_full_ipc", "clusters_inventor"):
        # In two files, as large tables come.
        rows = [{"q": q, "text": text, "cluster_id": list(THINGS).index(d) * 17} for q, d, text in every]
        write_table(folder / name / "test-00000-of-00002.parquet", rows[:11])
        write_table(folder / name / "test-00001-of-00002.parquet", rows[11:])
    return folder


def _triplets(every: list[tuple[str, str, str]]) -> list[dict]:
    """Each family cites the next of its domain; the negative is of another one."""
    rows = []
    for place, (q, domain, text) in enumerate(every):
        pos, neg = every[place - place % 10 + (place + 1) % 10], every[(place + 13) % len(every)]
        rows.append(
            {
                "q": q,
                "neg": neg[0],
                "pos": pos[0],
                "pos_link_type": "backward",
                "neg_computed_domain": "OUT",
                "objective": "IN",
                "q_text": text,
                "pos_text": pos[2],
                "neg_text": neg[2],
            }
        )
        assert domain == pos[1] != neg[1]
    return rows


def _fragments(every: list[tuple[str, str, str]], part: str, whole: str, *, domains: bool) -> list[dict]:
    rows = []
    for q, domain, text in every:
        title, rest = text.split(" [SEP] ", maxsplit=1)
        row = {"q": q, part: title, whole: rest}
        rows.append({"first_ipcr3": domain, **row, "first_ipcr3_count": 1} if domains else row)
    return rows


def _pairs(every: list[tuple[str, str, str]]) -> list[dict]:
    rows = []
    for place, (q, domain, text) in enumerate(every):
        like = place % 3 == 0
        other = every[place - place % 10 + (place + 4) % 10] if like else every[(place + 11) % len(every)]
        rows.append(
            {
                "first_ipcr3": domain,
                "label": int(like),
                "q": q,
                "t": other[0],
                "text1": text.split(" [SEP] ")[0],
                "text2": other[2].split(" [SEP] ")[0],
                "first_ipcr3_count": 1,
            }
        )
    return rows


def _classes(every: list[tuple[str, str, str]]) -> list[dict]:
    return [
        {"first_ipcr3": domain, "label": domain, "q": q, "text": text, "first_ipcr3_count": 1}
        for q, domain, text in every
    ]


def _bloom(every: list[tuple[str, str, str]]) -> list[dict]:
    labels = dict(zip(THINGS, ("early", "late", "normal"), strict=True))
    return [{"q": q, "text": text, "label": labels[domain]} for q, domain, text in every]


def _nli(every: list[tuple[str, str, str]]) -> list[dict]:
    rows = []
    for place, (q, domain, text) in enumerate(every):
        other = every[(place + 10) % len(every)]
        newer = (place // 2) % 2 == 0
        sides = (text, other[2]) if newer else (other[2], text)
        rows.append(
            {
                "first_ipcr3": domain,
                "label": "newer" if newer else "older",
                "q": q,
                "t": other[0],
                "q_text": sides[0],
                "t_text": sides[1],
                "first_ipcr3_count": 1,
            }
        )
    return rows
