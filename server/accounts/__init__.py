"""Who plays: guests and their names, the sessions that prove who someone is, and tickets for clients that can send no header.

Knows the records only as the port in ``ports``. HTTP is the gateway's.
"""
