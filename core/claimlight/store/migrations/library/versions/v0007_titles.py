"""A title without an abstract is a passage of its own kind: the section and the label say so.

Ids and texts stay, and with them every index: of words, because the columns of a title alone hold what they
held, and of meaning.
"""

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    "DROP VIEW passage_columns",
    """CREATE VIEW passage_columns AS SELECT
        id,
        CASE WHEN section NOT IN ('title', 'abstract') THEN NULL WHEN instr(text, char(10)) = 0 THEN text
            ELSE substr(text, 1, instr(text, char(10)) - 1) END AS ti,
        CASE WHEN section = 'abstract' AND instr(text, char(10)) > 0
            THEN substr(text, instr(text, char(10)) + 1) END AS ab,
        CASE WHEN section = 'claims' THEN text END AS clm,
        CASE WHEN section NOT IN ('title', 'abstract', 'claims') THEN text END AS de
        FROM passage_text""",
    """UPDATE passage SET section = 'title', label = 'title'
        WHERE section = 'abstract' AND label = 'abstract' AND instr(text, char(10)) = 0""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
