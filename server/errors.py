"""The errors of the service, by whose fault they are.

``Refused``: the player asked for something the rules or the state do not allow; it has a code that is answered.
``BadMessage``: the peer did not keep to the protocol. Everything else that is raised is our own fault.
"""


class Refused(Exception):
    """A request that is understood and not allowed.

    ``code`` is one of the codes of the protocol; ``message`` says in a sentence how to be right again; ``field`` names the
    offending field of a form or of options, where there is one.
    """

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field


class BadMessage(Exception):
    """A frame or body that cannot be read as a message of the protocol; ``str()`` says what is wrong with it."""
