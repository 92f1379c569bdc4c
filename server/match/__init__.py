"""The pure core of a table: commands in, events out, and the state that the events fold to.

Nothing here does I/O, reads a clock, draws a random number, waits or logs: time is an argument in milliseconds, keys and fresh
secrets are arguments, and whatever happens to a table is an event that ``decide`` returned and ``evolve`` folds.
"""
