"""Cubilete: a server for dice games of the Generala and Yahtzee family."""

__version__ = "0.1.0"
