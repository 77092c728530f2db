"""An index on plain PostgreSQL: no extension of the server, exact on all legs, for some 100,000 documents.

`backend` is the adapter. The server stores and filters; vectors are compared on the client:

    tables    the schema, and what a fragment, a block, a slot and a posting are
    writing   fragments are appended, merged and purged
    views     which parts there are, kept by the client; only changes are read again
    scoring   scores of a query, from postings and section vectors
    sessions  connections, time limits, and errors as sentences
"""

from claimlight.engines.postgres.backend import PostgresBackend

__all__ = ["PostgresBackend"]
