"""Adapters of the ports in ``server.tables.ports``: the table logs, one technology each, with a clock and entropy beside them.

A table log here passes the suite in ``tests/contract``. Nothing here knows the rules, a match or the wire.
"""
