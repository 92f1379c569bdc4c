"""The async shell of a table: load, decide, append, publish; wakes; presence; and the ports that adapters fill."""
