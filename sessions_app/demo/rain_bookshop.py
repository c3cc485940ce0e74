"""雨夜书店: a session in Chinese with affection, a bag and a clock."""

from __future__ import annotations

from sessions_app.demo.steps import Corrected, Deleted, Regenerated, Story, Turn, add, gain, put

DEFINITION = {
    "title": "雨夜书店",
    "description": "旧城区一家只在雨夜营业的书店。",
    "updateMode": "rules-required",
    "schema": {
        "type": "object",
        "properties": {
            "characters": {
                "type": "object",
                "properties": {
                    "李钰": {
                        "type": "object",
                        "properties": {
                            "好感度": {
                                "type": "integer",
                                "minimum": 0,
                                "maximum": 100,
                                "description": "0 陌生，100 托付",
                            },
                            "心情": {"type": "string", "minLength": 1, "maxLength": 20},
                            "秘密已知": {"type": "boolean"},
                        },
                        "required": ["好感度", "心情", "秘密已知"],
                        "additionalProperties": False,
                    }
                },
                "required": ["李钰"],
                "additionalProperties": False,
            },
            "背包": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 12},
            "时间": {
                "type": "object",
                "properties": {"日": {"type": "integer", "minimum": 1}, "时刻": {"type": "string"}},
                "required": ["日", "时刻"],
                "additionalProperties": False,
            },
        },
        "required": ["characters", "背包", "时间"],
        "additionalProperties": False,
    },
    "rules": [
        {
            "id": "liyu-affection",
            "target": "/characters/李钰/好感度",
            "when": "李钰对玩家的信任明显上升或下降",
            "effect": {"op": "increment", "minimum": -8, "maximum": 5},
            "guidance": ["日常闲聊不超过 1", "只有她主动分享经历时才可超过 3"],
        },
        {
            "id": "liyu-mood",
            "target": "/characters/李钰/心情",
            "when": "李钰的心情改变",
            "effect": {"op": "set"},
        },
        {
            "id": "liyu-secret",
            "target": "/characters/李钰/秘密已知",
            "when": "李钰说出书店的秘密",
            "condition": 'state("story", "/characters/李钰/好感度") >= 45',
            "effect": {"op": "set"},
        },
        {"id": "bag-gain", "target": "/背包", "when": "玩家得到一件物品", "effect": {"op": "append"}},
        {
            "id": "clock",
            "target": "/时间/时刻",
            "when": "每回合都写下现在的时刻",
            "effect": {"op": "set"},
            "cadence": "every-turn",
        },
        {
            "id": "next-day",
            "target": "/时间/日",
            "when": "过了午夜",
            "effect": {"op": "increment", "minimum": 1, "maximum": 1},
        },
    ],
}
VALUE = {
    "characters": {"李钰": {"好感度": 30, "心情": "平静", "秘密已知": False}},
    "背包": ["湿透的雨伞"],
    "时间": {"日": 1, "时刻": "20:40"},
}
ENTRIES = (
    {
        "title": "钟楼·冬",
        "keys": ["钟楼", "钟声"],
        "content": "冬天的钟楼不敲钟。若有人听见钟声，那是书店在叫他。",
        "order": 10,
    },
    {
        "title": "地下书库",
        "keys": ["书库", "地下"],
        "content": "地下书库的书只借给说过真话的人。",
        "stateCondition": 'state("story", "/characters/李钰/秘密已知") == true',
        "order": 20,
    },
    {"title": "雨", "keys": [], "constant": True, "content": "故事里的每一夜都在下雨。", "order": 1},
)


def _clock(time: str) -> dict[str, object]:
    return put("/时间/时刻", time, "clock", "时间过去了")


def _trust(by: int, reason: str) -> dict[str, object]:
    return add("/characters/李钰/好感度", by, "liyu-affection", reason)


STORY = Story(
    title="雨夜书店（演示）",
    speaker="李钰",
    greeting="门上的铃响了一声。柜台后的女人抬起头：“外面雨大，先把伞放下吧。”",
    definition=DEFINITION,
    value=VALUE,
    book_title="旧城区见闻",
    entries=ENTRIES,
    steps=(
        Turn("我把伞靠在门边，向她道谢。", "她点点头，递来一条干毛巾。", (_trust(1, "他懂得道谢"), _clock("20:45"))),
        Turn("这里的书都是旧书吗？", "“有的比这座城还旧。”她笑了一下。", (_clock("20:52"),)),
        Turn(
            "我帮她把淋湿的那箱书搬进来。",
            "她没有拒绝，和你一起把箱子抬过门槛。",
            (
                _trust(4, "他主动帮忙搬书"),
                put("/characters/李钰/心情", "放松", "liyu-mood", "有人分担"),
                _clock("21:05"),
            ),
            refused=(_trust(12, "他主动帮忙搬书"), _clock("21:05")),
        ),
        Turn("箱子里有一本没有书名的书。", "“那本……先别翻开。”她把它放到最高的架子上。", (_clock("21:10"),)),
        Turn(
            "我请她讲讲书店的来历。",
            "她想了想，倒了两杯热茶，只说了祖父的事。",
            (_trust(3, "她愿意提起祖父"), gain("/背包", "一张旧书签", "bag-gain", "夹在茶碟下的书签"), _clock("21:30")),
            refused=(
                put("/characters/李钰/好感度", 60, "liyu-affection", "她信任他"),
                gain("/背包/书签", "一张旧书签", "bag-gain", "书签"),
            ),
        ),
        Turn("我把书签收好，说会还回来。", "“书签是送你的。书要还。”", (_trust(1, "他守规矩"), _clock("21:34"))),
        Regenerated("“书签是送你的。”她顿了顿，“下次雨夜，再来。”", (_trust(2, "她邀请他再来"), _clock("21:35"))),
        Turn(
            "隔了一天，我又来了。",
            "铃声一响，她已经认出了你的脚步。",
            (
                add("/时间/日", 1, "next-day", "过了一夜"),
                _trust(2, "他如约而至"),
                _clock("20:15"),
            ),
        ),
        Turn(
            "今晚有钟声，你听见了吗？",
            "她的手停了一下：“这个季节，钟楼不该响。”",
            (
                put("/characters/李钰/心情", "不安", "liyu-mood", "他听见了钟声"),
                _clock("20:40"),
            ),
        ),
        Turn(
            "我告诉她我并不害怕。",
            "“不怕的人，往往是还没听懂。”她还是笑了。",
            (_trust(2, "他安慰了她"), _clock("20:44")),
        ),
        Turn(
            "书店到底藏着什么？",
            "她摇头：“还不到时候。”",
            (_clock("20:50"),),
            refused=(put("/characters/李钰/秘密已知", True, "liyu-secret", "她说出了秘密"), _clock("20:50")),
        ),
        Turn("那我先帮你整理架子。", "两个人默默地排好了一整排书。", (_trust(3, "他没有追问"), _clock("21:40"))),
        Turn(
            "我在架子后面找到一把铜钥匙。",
            "“……那是地下书库的。”",
            (
                gain("/背包", "铜钥匙", "bag-gain", "架子后面的钥匙"),
                _clock("21:48"),
            ),
        ),
        Turn("我把钥匙放回她手里。", "她没有接：“先放你那里。”", (_trust(4, "他没有据为己有"), _clock("21:50"))),
        Deleted(back=2, reason="钥匙出现得太早，这一段重写"),
        Turn(
            "雨小了一些，我问她要不要一起去钟楼看看。",
            "她锁上抽屉，披上外衣：“走。”",
            (_trust(3, "她愿意同行"), _clock("22:10")),
        ),
        Turn(
            "钟楼的门虚掩着。",
            "黑暗里有纸页翻动的声音。",
            (
                put("/characters/李钰/心情", "紧张", "liyu-mood", "黑暗里有声音"),
                _clock("22:25"),
            ),
        ),
        Corrected("主持人更正：书签在第二夜已经还给她", {"背包": ["湿透的雨伞"]}),
        Turn(
            "她握住我的手，终于开口。",
            "“书店不是卖书的。它替人记住不该忘的事。”",
            (
                put("/characters/李钰/秘密已知", True, "liyu-secret", "她说出了书店的秘密"),
                _trust(2, "她说出了秘密"),
                _clock("22:40"),
            ),
        ),
        Turn("那些没有名字的书呢？", "“是还没有人愿意想起的人。”", (_clock("22:48"),)),
        Turn(
            "回去的路上雨停了。",
            "她在门口回头：“明天若有雨，我等你。”",
            (
                _trust(2, "她主动约定"),
                put("/characters/李钰/心情", "温柔", "liyu-mood", "告别时的约定"),
                _clock("23:20"),
            ),
        ),
        Turn("我点头，走进夜色。", "铃声在身后响了一下，很轻。", ()),
    ),
)
