"""Papers on the way through a match, for the tests of the strategy."""

from hypothesis import strategies as st

from server.rules import EMPTY_SHEET, Rules, SheetState, legal, resolve, write
from server.rules.scorers import HANDS

SHEETS = ("generala", "yahtzee", "yatzy", "yacht", "yahtzee3", "triple")
HOUSE_RULES = {
    "generala": [{}, {"doble": "off"}, {"doble_needs_generala": False}, {"served_generala": "points100"}],
    "yahtzee": [{}, {"joker": "free"}, {"joker": "off", "extra_yahtzee": 0}],
}


@st.composite
def papers(draw) -> tuple[Rules, SheetState]:
    """Rules of any sheet and a paper with an open box, reached by legal writes."""
    sheet = draw(st.sampled_from(SHEETS))
    rules = resolve(sheet, None, draw(st.sampled_from(HOUSE_RULES.get(sheet, [{}]))))
    state = EMPTY_SHEET
    for _ in range(draw(st.integers(0, rules.rounds - 1))):
        writes = legal(rules, state, draw(st.sampled_from(HANDS)), draw(st.integers(1, 3)))
        box = draw(st.sampled_from(sorted(writes)))
        state = write(state, rules, box, writes[box])
    return rules, state
