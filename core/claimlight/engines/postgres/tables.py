"""Tables of an index on PostgreSQL: one schema of the database for each.

Each part has a *slot* in a *block*: blocks have a fixed capacity, are filled one after another, and their
numbers are never used twice. A batch is appended as a *fragment*, a range of slots of one block. A *posting*
holds, for one term and one fragment, the slots with that term and their values. Slots are counted from the
beginning of the block, so that fragments of a block are merged by joining their bytes, on the server.

Slots are never written again: a part that is removed or replaced gets a bit in ``gone`` of its block.
"""

from __future__ import annotations

import numpy as np

from claimlight.index.backend import Ids, Leg

PLACE_BITS = 16
"""A posting's place is ``block << PLACE_BITS | first slot of its fragment``."""
PIECES = 1 << PLACE_BITS
"""Capacity of a block of passage pieces: slots of postings are 16-bit."""
SECTIONS = 8192
"""Capacity of a block of sections: the vectors of one, 12 MB at 384 dimensions, are fetched at once."""
ENTRY = np.dtype([("slot", "<u2"), ("value", "<f4")])
"""One entry of a posting, packed in 6 bytes."""
TERM_BITS = 32
LAYOUT = 1
"""Version of these tables."""

_LEGS = {Leg.CENTERS: 0, Leg.WORDS: 1}

CREATE = f"""
CREATE TABLE state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    layout integer NOT NULL,
    schema text NOT NULL,
    version bigint NOT NULL,
    facts_version bigint NOT NULL,
    next_block integer NOT NULL
);
CREATE TABLE facts (
    document bigint PRIMARY KEY,
    published integer NOT NULL,
    family bigint NOT NULL,
    classes text[] NOT NULL
);
CREATE INDEX facts_published ON facts (published);
CREATE INDEX facts_family ON facts (family);
CREATE INDEX facts_classes ON facts USING gin (classes) WITH (fastupdate = off);
CREATE TABLE block (
    sections boolean NOT NULL,
    block integer NOT NULL,
    filled integer NOT NULL,
    removed integer NOT NULL,
    changed bigint NOT NULL,
    gone bytea NOT NULL,
    PRIMARY KEY (sections, block)
);
CREATE TABLE fragment (
    sections boolean NOT NULL,
    block integer NOT NULL,
    first integer NOT NULL,
    filled integer NOT NULL,
    parts bytea NOT NULL,
    claims bytea NOT NULL,
    vectors bytea NOT NULL,
    PRIMARY KEY (sections, block, first)
);
CREATE TABLE posting (
    term bigint NOT NULL,
    place integer NOT NULL CHECK (place >> {PLACE_BITS} >= 0),
    entries bytea NOT NULL,
    PRIMARY KEY (term, place)
);
CREATE INDEX posting_place ON posting (place);
-- They hardly compress, and bytes from within a value can be read alone only if it is not compressed.
ALTER TABLE fragment ALTER parts SET STORAGE EXTERNAL, ALTER claims SET STORAGE EXTERNAL,
    ALTER vectors SET STORAGE EXTERNAL;
ALTER TABLE posting ALTER entries SET STORAGE EXTERNAL;
-- What was merged leaves as many dead rows as there are: their room is to be used by the next block.
ALTER TABLE posting SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE fragment SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
"""


def capacity(*, sections: bool) -> int:
    """Slots of a block."""
    return SECTIONS if sections else PIECES


def term_keys(leg: Leg, indices: Ids) -> Ids:
    """The terms of postings for indices of a sparse leg: the legs share a table."""
    keys: Ids = indices | (_LEGS[leg] << TERM_BITS)
    return keys
