"""An outsider: a client and a verifier written from the protocol and dice pages alone, sharing no code with the server."""
