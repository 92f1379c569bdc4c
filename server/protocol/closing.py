"""Why a socket is closed: the codes of the protocol."""

INTERNAL_ERROR = 1011
RESTARTING = 1012
SESSION_INVALID = 4001
NO_SUCH_TABLE = 4004
TOO_SLOW = 4008
REPLACED = 4009
FLOODING = 4029
LOST = 1006
"""Never on the wire: the connection went away without a word."""
