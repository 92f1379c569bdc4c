"""What outlives tables: players and their sessions, in SQLite through SQLAlchemy, and the migrations of that database.

Fills the port ``server.accounts.ports.PlayerRecords`` without knowing it. What happens at a table is the table log's.
"""
