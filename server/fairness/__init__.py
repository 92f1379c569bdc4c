"""Sealed dice, the arithmetic of ``cubilete/1``: how keys, openings, faces and heads follow from one another.

Everything here is a pure function of bytes and integers. Who draws the secrets, who may see them when, and what an event looks
like is decided elsewhere.
"""
