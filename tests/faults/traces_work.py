"""A whole piece of work in one process: import, index, search, a case, a report, an error, the window.

Run as a program with a folder; every text that an examiner would write is a word of `WORDS`.
"""

from __future__ import annotations

import sys
from pathlib import Path

WORDS = {
    "claim": "quixotrope",
    "document": "zanthoflange",
    "query": "gimbalwombat",
    "note": "narwhalhinge",
    "case": "Zaunkoenigsache",
    "file": "ocelotfile",
}
GOOD = '{{"publication_number": "US900000{n}B2", "title": "Damper", "abstract": "A {word} damper.", "claims": ["1. A {word} damper."]}}\n'  # noqa: E501
CLAIM = f"1. A {WORDS['claim']} damper comprising a frame and a brake."


def main(home: Path) -> None:
    from claimlight import journal
    from claimlight.cli.__main__ import run
    from claimlight.services.cases.cases import CaseBook
    from claimlight.types import CaseId, Category, Mark, PublicationNumber

    out = home / "out"
    library = str(home / "L")
    source = home / "in" / f"{WORDS['file']}.jsonl"
    source.parent.mkdir(exist_ok=True)
    source.write_text("".join(GOOD.format(n=n, word=WORDS["document"]) for n in range(3)) + "{broken\n")
    claims = home / "in" / f"{WORDS['file']}.txt"
    claims.write_text(CLAIM)
    done = [
        run(["import", str(source), "--library", library, "--index"]),
        run(["search", "--library", library, "--claims", str(claims)]),
        run(["query", f"damper OR {WORDS['query']}", "-l", library, "--new-case", WORDS["case"]]),
        run(["cases", "claims", "1", "--add", str(claims)]),
        run(["cases", "mark", "1", "US9000001B2", "X"]),
    ]
    with CaseBook.open() as book:
        book.mark(CaseId(1), Mark(PublicationNumber("US", "9000002", "B2"), Category.Y, note=WORDS["note"]))
    out.mkdir(exist_ok=True)
    done += [
        run(["cases", "report", "1", "--notes", "-l", library, "--out", str(out / "report.docx")]),
        run(["matrix", "--library", library, "--claims", str(claims), "--claim", "1"]),
        run(["export", "--set", "L1", "--case", "1", "-l", library, "--to", str(out / "found.csv")]),
        run(["import", str(home / f"{WORDS['file']}-gone.xml"), "--library", library]),
        run(["query", f"(({WORDS['query']}", "-l", library]),
        run(["settings", "set", "search.depth", "77"]),
    ]
    journal.keep_defect(KeyError(f"{WORDS['note']} {WORDS['claim']}"))
    done.append(run(["doctor", "--bundle", str(out / "diagnostics.zip"), "--library", library]))
    from claimlight_workbench import bootstrap

    picture = str(out / "window.png")
    done.append(bootstrap.run(["--library", library, "--line", WORDS["query"],
                               "--screenshot", picture]))  # fmt: skip
    # The last two of these are refused: a file that is not there, and a bracket that is not closed.
    print("codes", *done, file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
