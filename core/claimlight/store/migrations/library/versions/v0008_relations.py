"""What a related document is, kinds of priorities, dates of citations, and the reader that read a record.

What is stored already says none of it: relations are of no known kind, and the revision of the reader is 0,
so that the records are read again when their files are imported again.
"""

from alembic import op

revision = "0008"
down_revision = "0007"

STATEMENTS = (
    "ALTER TABLE related ADD COLUMN relation VARCHAR NOT NULL DEFAULT 'other'",
    "ALTER TABLE related ADD COLUMN day INTEGER",
    "ALTER TABLE related ADD COLUMN of_country VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE related ADD COLUMN of_number VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE related ADD COLUMN of_kind VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE priority ADD COLUMN kind VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE citation ADD COLUMN date VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE document ADD COLUMN reading INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE part_origin ADD COLUMN reading INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE import_file ADD COLUMN reread INTEGER NOT NULL DEFAULT 0",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
