"""Invented documents with classes, in the form that `lab cpc` reads."""

from __future__ import annotations

import json
import random
from pathlib import Path

WORDS = {
    "A47J 31/00": "kettle spout lid handle boiling",
    "A61B 5/02": "pulse sensor cuff patient artery",
    "B60T 8/00": "brake wheel slip pressure valve",
    "B62K 3/00": "bicycle saddle fork steering tube",
    "H04L 9/32": "signature key message receiver network",
    "H01Q 1/00": "antenna radiator dipole feed ground",
}
TITLES = """A\t\tHUMAN NECESSITIES
A47\t\tFURNITURE; KETTLE SPOUT LID HANDLE
A47J\t\tKITCHEN EQUIPMENT
A61\t\tMEDICAL OR VETERINARY SCIENCE {; PULSE SENSOR CUFF PATIENT}
B\t\tPERFORMING OPERATIONS; TRANSPORTING
B60\t\tVEHICLES IN GENERAL; BRAKE WHEEL SLIP
B62\t\tLAND VEHICLES; BICYCLE SADDLE FORK
H\t\tELECTRICITY
H01\t\tBASIC ELECTRIC ELEMENTS; ANTENNA RADIATOR DIPOLE
H04\t\tELECTRIC COMMUNICATION TECHNIQUE; SIGNATURE KEY MESSAGE
H04L9/00\t0\tArrangements for secret communications
"""


def documents(count: int = 60) -> list[dict]:
    """Every fourth has two classes, every third is of the family of the one before it."""
    rng = random.Random(7)
    rows = []
    for number in range(count):
        symbols = rng.sample(sorted(WORDS), 2 if number % 4 == 0 else 1)
        words = [word for symbol in symbols for word in WORDS[symbol].split()]
        rows.append(
            {
                "_id": f"XX{number}",
                "title": f"A {rng.choice(words)} and a {rng.choice(words)}",
                "abstract": f"The {' and the '.join(rng.sample(words, 4))}.",
                "claims": [f"A {rng.choice(words)}.", f"A {rng.choice(words)} as claimed in claim 1."],
                "cpc": symbols,
                "family": f"family {number // 3}" if number % 3 else "",
            }
        )
    return rows


def write(rows: list[dict], path: Path) -> Path:
    """As JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
