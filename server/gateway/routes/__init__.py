"""The HTTP interface, one module a subject (protocol.md, HTTP)."""
