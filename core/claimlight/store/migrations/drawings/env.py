"""Run by Alembic: the connection, already inside a transaction, comes from `claimlight.store.migrate`."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True)
context.run_migrations()
