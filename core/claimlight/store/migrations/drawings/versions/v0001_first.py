"""Pictures of documents, by publication and name of the file."""

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = (
    """CREATE TABLE kept_picture (
        id INTEGER PRIMARY KEY,
        publication VARCHAR NOT NULL,
        file VARCHAR NOT NULL,
        sheets INTEGER NOT NULL,
        digest VARCHAR NOT NULL,
        content BLOB NOT NULL
    )""",
    "CREATE UNIQUE INDEX kept_picture_name ON kept_picture (publication, file)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
