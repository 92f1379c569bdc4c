"""Short ways to say what is on a paper and what is thrown."""

from server.rules import SheetState, legal, resolve


def dice(text):
    return tuple(int(face) for face in text)


def offers(sheet, thrown, *, roll=3, preset=None, options=None, boxes=None):
    """Key to Write for every legal box."""
    return legal(resolve(sheet, preset, options), SheetState(boxes or {}), dice(thrown), roll)


def pays(sheet, box, thrown, **given):
    """The points of one legal box."""
    return offers(sheet, thrown, **given)[box].points
