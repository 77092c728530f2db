"""The record that each part of a merged document is from, and a quick way from a family to its other keys."""

from alembic import op

revision = "0003"
down_revision = "0002"

STATEMENTS = (
    """CREATE TABLE part_origin (
    document_id INTEGER NOT NULL,
    part VARCHAR NOT NULL,
    richness INTEGER NOT NULL,
    value VARCHAR NOT NULL,
    source_id INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    member VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    dialect VARCHAR NOT NULL,
    PRIMARY KEY (document_id, part)
)
 WITHOUT ROWID""",
    "ALTER TABLE document ADD COLUMN modified INTEGER NOT NULL DEFAULT 0",
    "UPDATE document SET modified = coalesce("
    "(SELECT modified FROM source WHERE source.id = document.source_id), 0)",
    "CREATE INDEX family_alias_label ON family_alias (family_key)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
