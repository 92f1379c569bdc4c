"""What sheets have in common, as data: the six number boxes, the straights, the house rule for ties."""

from server.rules.model import Box, Choice, FaceSum, Pick, Set

UPPER = (
    Box("ones", "upper", FaceSum(1)),
    Box("twos", "upper", FaceSum(2)),
    Box("threes", "upper", FaceSum(3)),
    Box("fours", "upper", FaceSum(4)),
    Box("fives", "upper", FaceSum(5)),
    Box("sixes", "upper", FaceSum(6)),
)
ONE_TO_FIVE = (1, 2, 3, 4, 5)
TWO_TO_SIX = (2, 3, 4, 5, 6)
TIE = Pick("tie", (Choice("share"), Choice("roll_off", (Set("roll_off", True),))))
