"""One suite for each port; every adapter of the port passes it."""
