"""Further letters of categories with their passages, and notes on passages.

Nothing is rewritten: what earlier versions wrote is read as it is. The number is a new one because programs
of earlier versions would report the new letters and notes as damaged rows.
"""

revision = "0004"
down_revision = "0003"

STATEMENTS = ()


def upgrade() -> None:
    """Change nothing."""
