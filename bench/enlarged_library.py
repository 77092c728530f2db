"""Enlarge a shared library on PostgreSQL alone by copies of its documents under other numbers, to measure it.

    python -m bench.enlarged_library ADDRESS --times 10

For trials only: rows and postings are copied on the server, so that a large library is there in minutes
instead of hours. The section vectors of a copy get noise of a hundredth of their length; its passages are
those of the first one. Counts of centers and stems, and so the idf, are those of the larger library. The
words of query lines are not copied: searches find the copies, query lines don't.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import psycopg

from claimlight.engines.postgres.tables import PLACE_BITS
from claimlight.index.backend import PART_BITS
from claimlight.services.sharing.addresses import SharedAddress

NOISE = 0.01
_STATE = """
UPDATE meta SET value = value + 1 WHERE key = 'version';
UPDATE stem SET passages = passages * {times};
UPDATE word_total SET passages = passages * {times}, words = words * {times};
"""
_DOCUMENTS = """
INSERT INTO document SELECT id + {by}, country || {more} || number, country, {more} || number, kind,
    country || {more} || number, title, language, published, filed, priority, application_country,
    application_number, CASE application_key WHEN '' THEN '' ELSE application_key || {more} END, applicant,
    classes, family, family_key || {more}, digest, text_length, first_passage + {by}, passages, source_id,
    modified, member, ordinal, "offset", dialect, reading, {version} FROM document WHERE id < {step};
INSERT INTO passage SELECT id + {by}, document_id + {by}, section, label, heading, language, claim, parents,
    elements, text FROM passage WHERE id < {step};
INSERT INTO indexed_part SELECT document_id + {by}, part, arrays, sha256 FROM indexed_part
    WHERE document_id < {step};
INSERT INTO indexed_document SELECT document_id + {by}, {version}, first_passage + {by}, depth, described,
    sections, passages FROM indexed_document WHERE document_id < {step};
INSERT INTO {index}.facts SELECT document + {by}, published, family + {by}, classes FROM {index}.facts
    WHERE document < {step};
"""


def enlarge(connection: psycopg.Connection, times: int) -> None:
    """Add ``times`` - 1 copies of each document in one transaction."""
    (index,) = connection.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'claimlight\\_%' AND EXISTS (SELECT 1 FROM "
        "pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'posting')"
    ).fetchone() or ("",)
    (step,) = connection.execute(
        "SELECT 1 + greatest((SELECT max(id) FROM document), (SELECT max(id) FROM passage))"
    ).fetchone() or (0,)
    (version,) = connection.execute("SELECT value + 1 FROM meta WHERE key = 'version'").fetchone() or (0,)
    fragments = connection.execute(
        f"SELECT sections, block, first, filled, parts, claims, vectors FROM {index}.fragment"
    ).fetchall()
    blocks = connection.execute(f"SELECT * FROM {index}.block").fetchall()
    (fresh,) = connection.execute(f"SELECT next_block FROM {index}.state").fetchone() or (0,)
    connection.execute(_STATE.format(times=times))
    for name in ("df", "passages"):
        (value,) = connection.execute(
            "SELECT value FROM shared_state WHERE name = %s", [name]
        ).fetchone() or (b"",)
        larger = (np.frombuffer(value, "<i8") * times).tobytes()
        connection.execute("UPDATE shared_state SET value = %s WHERE name = %s", [larger, name])
    rng = np.random.default_rng(0)
    for copy in range(1, times):
        begun = perf_counter()
        by = copy * step
        shown = {"by": by, "more": f"'{90 + copy}'", "version": version, "step": step, "index": index}
        connection.execute(_DOCUMENTS.format(**shown))
        numbers: dict[tuple[bool, int], int] = {}
        for sections, block, filled, removed, changed, gone in blocks:
            numbers[sections, block] = fresh
            connection.execute(
                f"INSERT INTO {index}.block VALUES (%s, %s, %s, %s, %s, %b)",
                [sections, fresh, filled, removed, changed, gone],
            )
            if not sections:
                connection.execute(
                    f"INSERT INTO {index}.posting SELECT term, place + (({fresh - block}) << {PLACE_BITS}), "
                    f"entries FROM {index}.posting WHERE place >> {PLACE_BITS} = {block}"
                )
            fresh += 1
        for sections, block, first, filled, parts, claims, vectors in fragments:
            ids = np.frombuffer(parts, "<i8") + (by << PART_BITS)
            rows = np.frombuffer(vectors, "<f4").reshape(filled, -1)
            noise = rng.standard_normal(rows.shape, dtype=np.float32) * NOISE / np.sqrt(max(rows.shape[1], 1))
            connection.execute(
                f"INSERT INTO {index}.fragment VALUES (%s, %s, %s, %s, %b, %b, %b)",
                [
                    sections,
                    numbers[sections, block],
                    first,
                    filled,
                    ids.tobytes(),
                    claims,
                    (rows + noise).astype("<f4").tobytes() if sections else vectors,
                ],
            )
        print(f"copy {copy}: {perf_counter() - begun:.1f} s", flush=True)
    connection.execute(
        f"UPDATE {index}.state SET version = version + 1, facts_version = version + 1, next_block = %s",
        [fresh],
    )
    for name, column in (("next_document", "document"), ("next_passage", "passage")):
        connection.execute(
            f"UPDATE meta SET value = (SELECT max(id) + 1 FROM {column}) WHERE key = %s", [name]
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--times", type=int, default=10)
    asked = parser.parse_args()
    address = SharedAddress.parse(asked.address)
    with psycopg.connect(address.url) as connection:
        enlarge(connection, asked.times)
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
