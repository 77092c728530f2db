"""Pictures that documents name, and an index for the documents of a file.

Stored documents have none; their records are read again when their files are imported again.
"""

from alembic import op

revision = "0009"
down_revision = "0008"

STATEMENTS = (
    """CREATE TABLE picture (
        document_id INTEGER NOT NULL,
        position INTEGER NOT NULL,
        file VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        figures VARCHAR NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        landscape BOOLEAN NOT NULL,
        PRIMARY KEY (document_id, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX document_source ON document (source_id)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
