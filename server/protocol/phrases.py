"""The fixed phrases and reactions; their words in each language are texts of the client."""

PHRASES = (
    "hello",
    "good_luck",
    "well_played",
    "nice_roll",
    "ouch",
    "so_close",
    "thinking",
    "sorry",
    "thanks",
    "one_more",
    "bye",
    "clap",
    "laugh",
    "wow",
)
