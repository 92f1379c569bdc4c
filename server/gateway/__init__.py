"""HTTP and WebSocket for the tables: routes and connections, limits, addresses, origins, security headers.

What a message means is the protocol's and the tables'; what a frame looks like is known in ``transport`` alone.
"""
