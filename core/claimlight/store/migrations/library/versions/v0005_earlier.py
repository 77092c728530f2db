"""A quick way from a pre-grant publication to the grant that names it."""

from alembic import op

revision = "0005"
down_revision = "0004"

STATEMENTS = ("CREATE INDEX related_number ON related (number)",)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
