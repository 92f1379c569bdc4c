"""Stand-ins for the ports of ``server.tables``: simple, in memory, and right enough to pass the ports' contract suites."""
