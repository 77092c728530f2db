"""The first schema of a case book."""

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = (
    """CREATE TABLE case_file (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    created VARCHAR NOT NULL,
    changed VARCHAR NOT NULL,
    value VARCHAR NOT NULL
)""",
    """CREATE TABLE log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    case_id INTEGER NOT NULL,
    at VARCHAR NOT NULL,
    action VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    "before" VARCHAR,
    "after" VARCHAR,
    refers INTEGER
)""",
    """CREATE INDEX log_case ON log (case_id, id)""",
    """CREATE TABLE query_set (
    case_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    created VARCHAR NOT NULL,
    request VARCHAR NOT NULL,
    provenance VARCHAR NOT NULL,
    notes VARCHAR NOT NULL,
    PRIMARY KEY (case_id, number)
)""",
    """CREATE TABLE set_hit (
    case_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    country VARCHAR NOT NULL,
    publication VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    score DOUBLE NOT NULL,
    PRIMARY KEY (case_id, number, rank)
)
 WITHOUT ROWID""",
    """CREATE TABLE state (
    case_id INTEGER NOT NULL,
    subject VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    PRIMARY KEY (case_id, subject, "key")
)
 WITHOUT ROWID""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
