"""Runs the steps in ``versions/`` inside the transaction of the connection that ``server.records.migrate`` hands over."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
