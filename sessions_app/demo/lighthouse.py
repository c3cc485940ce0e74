"""The lighthouse: a session in English with a keeper, a lamp and supplies."""

from __future__ import annotations

from sessions_app.demo.steps import Deleted, Regenerated, Story, Turn, add, gain, lose, put

DEFINITION = {
    "title": "The lighthouse",
    "description": "A storm week on the Skerry Ledge, told between the keeper and a castaway.",
    "updateMode": "rules-required",
    "schema": {
        "type": "object",
        "properties": {
            "oil": {"type": "integer", "minimum": 0, "maximum": 40},
            "lampLit": {"type": "boolean"},
            "trust": {"type": "integer", "minimum": 0, "maximum": 10},
            "supplies": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
            "weather": {"enum": ["calm", "wind", "storm"]},
        },
        "required": ["oil", "lampLit", "trust", "supplies", "weather"],
        "additionalProperties": False,
    },
    "rules": [
        {
            "id": "burn",
            "target": "/oil",
            "when": "the lamp burns through a watch",
            "condition": 'state("story", "/lampLit") == true',
            "effect": {"op": "increment", "minimum": -4, "maximum": -1},
            "cadence": "every-turn",
        },
        {
            "id": "refill",
            "target": "/oil",
            "when": "oil is brought up from the store",
            "effect": {"op": "increment", "minimum": 1, "maximum": 10},
        },
        {"id": "light", "target": "/lampLit", "when": "the lamp is lit or goes out", "effect": {"op": "set"}},
        {
            "id": "trust",
            "target": "/trust",
            "when": "the keeper trusts the castaway more, or less",
            "effect": {"op": "increment", "minimum": -2, "maximum": 2},
        },
        {"id": "found", "target": "/supplies", "when": "something useful is found", "effect": {"op": "append"}},
        {"id": "used", "target": "/supplies/0", "when": "the first supply is used up", "effect": {"op": "remove"}},
        {"id": "weather", "target": "/weather", "when": "the weather turns", "effect": {"op": "set"}},
    ],
}
VALUE = {"oil": 24, "lampLit": True, "trust": 2, "supplies": ["flint", "bread"], "weather": "wind"}
ENTRIES = (
    {"title": "The store room", "keys": ["store", "cellar"], "content": "Oil casks, rope, and a door that sticks."},
    {
        "title": "The wreck",
        "keys": ["wreck", "ship"],
        "content": "The keeper watched it go down, and lit no second lamp.",
        "stateCondition": 'state("story", "/trust") >= 6',
    },
)


def _burn(by: int = -1) -> dict[str, object]:
    return add("/oil", by, "burn", "The lamp burned through the watch.")


def _trust(by: int, reason: str) -> dict[str, object]:
    return add("/trust", by, "trust", reason)


STORY = Story(
    title="The lighthouse (demo)",
    speaker="Keeper",
    greeting='"You swam the Ledge in that?" The keeper bars the door behind you.',
    definition=DEFINITION,
    value=VALUE,
    book_title="Skerry Ledge",
    entries=ENTRIES,
    steps=(
        Turn("I thank him and sit by the stove.", "He hands you a blanket without a word.", (_burn(),)),
        Turn(
            "How much oil is left?",
            '"Enough for six nights, if nobody wastes it."',
            (_burn(),),
            refused=(add("/oil", "-1", "burn", "It burns."), put("oil", 22, "burn", "Counted.")),
        ),
        Turn(
            "I offer to carry oil up in the morning.",
            "He measures you, then nods.",
            (_burn(), _trust(1, "An offer of work.")),
        ),
        Turn(
            "I bring up a cask from the store.",
            "It takes both of you on the last stair.",
            (add("/oil", 8, "refill", "A cask was carried up."),),
        ),
        Regenerated(
            "It takes both of you on the last stair, and half of it spills.",
            (add("/oil", 4, "refill", "Half of the cask spilled."),),
        ),
        Turn(
            "The wind is rising.",
            '"That is no wind. That is the front."',
            (_burn(-2), put("/weather", "storm", "weather", "The front arrived.")),
        ),
        Turn("I take the first watch.", "He sleeps in his boots.", (_burn(-2), _trust(1, "Trusted with a watch."))),
        Turn(
            "The bread is gone.",
            '"Then we fish, or we fast."',
            (_burn(), gain("/supplies", "dried fish", "found", "Behind the casks.")),
        ),
        Turn(
            "I eat the flint by mistake, and laugh.",
            "He does not laugh, but strikes the last of it to light the stove.",
            (_burn(), lose("/supplies/0", "used", "The flint was used up.")),
            refused=(lose("/supplies/flint", "used", "Used."),),
        ),
        Turn("Is there a boat?", '"There was."', (_burn(),)),
        Turn(
            "I ask about the wreck below the Ledge.",
            "He turns his back to the glass.",
            (_burn(), _trust(-1, "A question too early.")),
        ),
        Turn(
            "I let it be and clean the lens.",
            '"That is how it is done," he says after a while.',
            (_burn(), _trust(2, "Patience.")),
        ),
        Turn(
            "The lamp gutters.",
            "You shield it with your coat until it stands again.",
            (_burn(-3), _trust(1, "The lamp was saved.")),
        ),
        Deleted(back=3, reason="The question came too early in the story."),
        Turn("What ship was it?", '"The Marguerite. I saw her lights."', (_burn(),)),
        Turn("And the second lamp?", '"I was asleep."', (_burn(), _trust(1, "He said it."))),
        Turn(
            "I tell him that he is awake now.",
            "He gives you the key of the store.",
            (_burn(), gain("/supplies", "key of the store", "found", "Given.")),
        ),
        Turn(
            "By dawn the storm is over.",
            "Gulls, and a flat grey sea.",
            (put("/weather", "calm", "weather", "Dawn."), put("/lampLit", False, "light", "It is day.")),
        ),
        Turn(
            "A sail, to the south.",
            '"Light it," he says. "In daylight. Light it."',
            (put("/lampLit", True, "light", "A sign for the ship."),),
        ),
        Turn("I light it.", "The lens turns the morning white.", ()),
        Turn(
            "They have seen us.", '"Then go," he says, "and tell them who kept it."', (_burn(), _trust(1, "Farewell."))
        ),
    ),
)
