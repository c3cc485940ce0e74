"""A model's MVU commands: translated by rules of the state, or refused one by one."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.importers.mvu import read_mvu
from sessions_app.importers.mvu_commands import Translation, translate_update
from sessions_app.importers.mvu_documents import Source
from sessions_app.importers.mvu_paths import places_of
from sessions_app.importers.mvu_rules import rule_id
from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.commit import commit
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Namespace, Projection

CARD = """
角色: {阿遥: {好感度: 30, 心情: 平静, 称号: {}}}
背包: [剑, 盾, 弓]
世界: {时间: '21:00', 门: true}
"""


def card() -> Namespace:
    imported, _ = read_mvu([Source("[initvar]", CARD)], DEFAULT_LIMITS)
    raw = {"version": 2, "namespaces": [imported.as_json()]}
    (initial,) = bootstrap_of(raw, DEFAULT_LIMITS).namespaces
    return Namespace.new(initial.definition, initial.initial_value)


def translated(*commands: str, namespace: Namespace | None = None) -> Translation:
    return replied("<UpdateVariable>\n" + "\n".join(commands) + "\n</UpdateVariable>", namespace)


def patched(patches: str) -> Translation:
    return replied(f"<UpdateVariable><JSONPatch>{patches}</JSONPatch></UpdateVariable>")


def replied(reply: str, namespace: Namespace | None = None) -> Translation:
    namespace = namespace or card()
    return translate_update(reply, value=namespace.value, definition=namespace.definition, limits=DEFAULT_LIMITS)


def committed(changes: list[dict[str, Any]]) -> Any:
    effect = {"kind": "state.update", "namespace": "story", "expectedRevision": 1, "payload": {"changes": changes}}
    before = Projection(1, {"story": card()})
    return commit(before, [effect], limits=DEFAULT_LIMITS).projection.namespaces["story"].value


def short(translation: Translation) -> list[tuple[Any, ...]]:
    return [(each["op"], each["path"], each.get("value", each.get("by"))) for each in translation.changes]


class TestTranslateUpdate:
    def test_a_reply_as_models_write_it(self) -> None:
        found = replied("""The door opens.
<UpdateVariable>
<Analysis>阿遥.好感度: Y; _.set('世界.门', false);</Analysis>
_.set('角色.阿遥.心情[0]', "平静", "微醺");//喝了酒
_.add('角色.阿遥.好感度', 2);
_.assign('角色.阿遥.称号', '夜行者', {"效果": "夜间+1"});
// _.set('世界.门', false);
</UpdateVariable>""")

        assert found.refusals == []
        assert found.changes[0] == {
            "op": "set",
            "path": "/角色/阿遥/心情",
            "reason": "喝了酒",
            "ruleId": rule_id("set", "/角色/阿遥/心情"),
            "value": "微醺",
        }
        assert short(found)[1:] == [
            ("increment", "/角色/阿遥/好感度", 2),
            ("set", "/角色/阿遥/称号", {"夜行者": {"效果": "夜间+1"}}),
        ]
        assert found.told[0] == '"角色.阿遥.心情[0]" was read as "/角色/阿遥/心情", the value of the old pair.'
        assert committed(found.changes)["角色"]["阿遥"] == {
            "好感度": 32,
            "心情": "微醺",
            "称号": {"夜行者": {"效果": "夜间+1"}},
        }

    @pytest.mark.parametrize(
        ("command", "change"),
        [
            ("_.set('世界.门', false);", ("set", "/世界/门", False)),
            ("_.set('世界[\"门\"]', true, false);", ("set", "/世界/门", False)),
            ("_.add('角色.阿遥.好感度', -2.5);", ("increment", "/角色/阿遥/好感度", -2.5)),
            ("_.assign('背包', '灯');", ("append", "/背包", "灯")),
            ("_.insert('背包', 3, '灯');", ("append", "/背包", "灯")),
            ("_.insert('背包', 0, '灯');", ("set", "/背包", ["灯", "剑", "盾", "弓"])),
            ("_.remove('背包', '盾');", ("set", "/背包", ["剑", "弓"])),
            ("_.remove('背包', 0);", ("set", "/背包", ["盾", "弓"])),
            ("_.remove('背包[2]');", ("set", "/背包", ["剑", "盾"])),
            ("_.set('背包.1', '大盾');", ("set", "/背包", ["剑", "大盾", "弓"])),
            ("_.assign('角色.阿遥.称号', {a: 1});", ("set", "/角色/阿遥/称号", {"a": 1})),
            ("_.set(\n  '世界.时间',\n  \"22:00; it's late\"\n) ;", ("set", "/世界/时间", "22:00; it's late")),
        ],
    )
    def test_a_command_means_a_change(self, command: str, change: tuple[Any, ...]) -> None:
        found = translated(command)

        assert found.refusals == []
        assert short(found) == [change]
        committed(found.changes)

    @pytest.mark.parametrize(
        ("command", "words"),
        [
            ("_.set('世界.门', false)", "semicolon"),
            ("_.set('世界.门', false", "closing bracket"),
            ("_.set('世界.门', true && false);", "literal"),
            ("_.set('世界.门', 平静);", "literal"),
            ("_.set('世界.门', Math.random());", "literal"),
            ("_.set(世界.门, false);", "literal"),
            ("_.set('角色.阿遥.心情', '微醺', '平静');", "not the current one"),
            ("_.set('角色.阿遥.好感度', '30', 31);", "not the current one"),
            ("_.set('角色.阿遥.好感', 31);", "no path"),
            ("_.set('stat_data.世界.门', false);", "no path"),
            ("_.set('/世界/门', false);", "no path"),
            ("_.set('世界/门', false);", "no path"),
            ("_.set('世界.门.', false);", "no path"),
            ("_.set(' 世界.门', false);", "no path"),
            ("_.set('背包[01]', '灯');", "no path"),
            ("_.set('背包[9]', '灯');", "no path"),
            ("_.set('', {});", "no path"),
            ("_.set('世界.门');", "set takes"),
            ("_.set('角色.阿遥.心情', ['微醺', '描述']);", "does not fit the schema"),
            ("_.set('角色.阿遥.好感度', '许多');", "does not fit the schema"),
            ("_.assign('背包', ['灯']);", "does not fit the schema"),
            ("_.add('角色.阿遥.好感度', '2');", "number"),
            ("_.add('角色.阿遥.心情', 2);", "No rule allows increment"),
            ("_.assign('世界', '雨', true);", "No rule allows set"),
            ("_.assign('角色.阿遥.称号', '__proto__', 1);", "A key is a text"),
            ("_.assign('角色.阿遥.心情', 'x', 1);", "The key is a name"),
            ("_.remove('角色.阿遥');", "No rule allows remove"),
            ("_.remove('背包', '灯');", "no such item"),
            ("_.remove('背包', -1);", "no such item"),
            ("_.merge('世界', {});", "no command merge"),
            ("_.set();", "first argument"),
        ],
    )
    def test_what_is_not_sure_is_refused_with_its_reason(self, command: str, words: str) -> None:
        found = translated(command)

        assert found.changes == []
        assert [words in refusal.reason for refusal in found.refusals] == [True], found.refusals

    def test_a_refused_command_leaves_the_others(self) -> None:
        found = translated("_.set('x', 1);", "_.set('世界.门', false", "_.add('角色.阿遥.好感度', 1);", "_.y(")

        assert short(found) == [("increment", "/角色/阿遥/好感度", 1)]
        assert len(found.refusals) == 3

    def test_members_of_one_object_become_one_change(self) -> None:
        found = translated(
            "_.assign('角色.阿遥.称号', 'a', {x: 1}); // first",
            "_.assign('角色.阿遥.称号', 'b', 2); // second",
            "_.add('角色.阿遥.称号.a.x', 5);",
            "_.remove('角色.阿遥.称号.b');",
        )

        assert short(found) == [("set", "/角色/阿遥/称号", {"a": {"x": 6}})]
        assert found.changes[0]["reason"].startswith("first; second; MVU: _.add(")

    def test_a_place_is_changed_once(self) -> None:
        found = translated(
            "_.add('角色.阿遥.好感度', 1);",
            "_.add('角色.阿遥.好感度', 1);",
            "_.set('背包', []);",
            "_.insert('背包', 'x');",
        )

        assert short(found) == [("increment", "/角色/阿遥/好感度", 1), ("set", "/背包", [])]
        assert all("changes a place once" in refusal.reason for refusal in found.refusals)

    def test_an_ambiguous_path_is_refused(self) -> None:
        definition = definition_of(
            {"title": "x", "updateMode": "schema-only", "schema": {}, "rules": []}, DEFAULT_LIMITS
        )
        namespace = Namespace.new(definition, {"a": {"b": 1}, "a.b": 2})

        found = translated("_.set('a.b', 3);", namespace=namespace)

        assert found.changes == []
        assert "may mean" in found.refusals[0].reason

    def test_a_namespace_whose_updates_are_off_takes_nothing(self) -> None:
        raw = card().definition.as_json() | {"updateMode": "disabled"}
        namespace = Namespace.new(definition_of(raw, DEFAULT_LIMITS), card().value)

        assert "off" in translated("_.set('世界.门', false);", namespace=namespace).refusals[0].reason

    @pytest.mark.parametrize("reply", ["", "_.set('世界.门', false);", "<Analysis>_.set('世界.门', false);</Analysis>"])
    def test_outside_of_a_block_is_no_command(self, reply: str) -> None:
        assert replied(reply) == ([], [], [])

    def test_a_block_without_its_end_is_refused_whole(self) -> None:
        found = replied("<UpdateVariable>\n_.set('世界.门', false);\n_.add('角色")

        assert found.changes == []
        assert "cut off" in found.refusals[0].reason


class TestTranslatePatch:
    @pytest.mark.parametrize(
        ("patch", "change"),
        [
            ("{'op':'replace','path':'/世界/门','value':false}", ("set", "/世界/门", False)),
            ("{op:'delta',path:'/角色/阿遥/好感度',value:2}", ("increment", "/角色/阿遥/好感度", 2)),
            ("{op:'insert',path:'/角色/阿遥/称号/a',value:{}}", ("set", "/角色/阿遥/称号", {"a": {}})),
            ("{op:'insert',path:'/背包/-',value:'灯'}", ("append", "/背包", "灯")),
            ("{op:'insert',path:'/背包/1',value:'灯'}", ("set", "/背包", ["剑", "灯", "盾", "弓"])),
            ("{op:'remove',path:'/背包/1'}", ("set", "/背包", ["剑", "弓"])),
        ],
    )
    def test_a_patch_means_a_change(self, patch: str, change: tuple[Any, ...]) -> None:
        found = patched(f"```json\n[{patch}]\n```")

        assert found.refusals == []
        assert short(found) == [change]
        committed(found.changes)

    @pytest.mark.parametrize(
        "patch",
        [
            "{op:'replace',path:'世界/门',value:false}",
            "{op:'replace',path:'世界.门',value:false}",
            "{op:'replace',path:'/世界/门/',value:false}",
            "{op:'replace',path:'/世界/x',value:false}",
            "{op:'replace',path:'/世界/门'}",
            "{op:'replace',value:false}",
            "{op:'delta',path:'/世界/门',value:1}",
            "{op:'delta',path:'/角色/阿遥/好感度',value:'1'}",
            "{op:'insert',path:'/世界/门',value:1}",
            "{op:'insert',path:'/雨/x',value:1}",
            "{op:'insert',path:'/背包/7',value:'x'}",
            "{op:'insert',path:'',value:1}",
            "{op:'remove',path:''}",
            "{op:'move',from:'/世界/门',path:'/世界/窗'}",
            "{op:'replace',path:'/constructor',value:1}",
            "{path:'/世界/门',value:1}",
            "1",
            "{op:",
        ],
    )
    def test_what_is_not_sure_is_refused(self, patch: str) -> None:
        found = patched(f"[{patch}]")

        assert found.changes == []
        assert len(found.refusals) == 1


class TestPlacesOf:
    @pytest.mark.parametrize(
        ("path", "places"),
        [
            ("a.b", [("a", "b")]),
            ("a.x.y", [("a", "x.y")]),
            ("list[0].名", [("list", "0", "名")]),
            ("list.0.名", [("list", "0", "名")]),
            ("list[0]['名']", [("list", "0", "名")]),
            ("list[00].名", []),
            ("a.b[0]", [("a", "b")]),
            ("a.b[0][0]", []),
            ("a[0]", [("a", "0")]),
            ("k[0]", [("k[0]",)]),
            ("a..e", [("a", "", "e")]),
            ("a.", [("a", "")]),
            (".a", []),
            ("a b", []),
            ("", []),
        ],
    )
    def test_a_path_means_what_it_spells(self, path: str, places: list[Any]) -> None:
        value = {"a": {"b": 1, "x.y": 2, "": {"e": 3}, "0": 4}, "list": [{"名": 5}], "k[0]": 6}

        assert places_of(value, path) == places

    def test_a_root_that_is_a_scalar_has_no_places(self) -> None:
        assert places_of(1, "[0]") == []


PATHS = st.sampled_from(
    ["世界.门", "角色.阿遥.好感度", "角色.阿遥.称号", "角色.阿遥.称号.a", "背包", "背包[0]", "背包[0][0]", "x", ""]
)
LITERALS = st.sampled_from(
    ["1", "-2", "'x'", '"平静"', "true", "null", "[]", "{}", "{a: {b: 1}}", "x", "", "1e999", "'a'"]
)


@st.composite
def commands(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(["set", "add", "assign", "insert", "remove", "pull"]))
    arguments = [f"'{draw(PATHS)}'", *draw(st.lists(LITERALS, max_size=2))]
    return f"_.{name}({', '.join(arguments)});"


class TestTranslateAnything:
    @given(block=st.lists(commands(), max_size=6))
    def test_each_command_is_a_change_or_a_refusal_and_changes_can_be_sent(self, block: list[str]) -> None:
        found = translated(*block)

        assert len(found.refusals) <= len(block)
        if found.changes:
            with suppress(CommitRefused):
                committed(found.changes)

    @given(
        reply=st.text(max_size=80)
        | st.lists(
            st.sampled_from(
                [
                    *[
                        "<UpdateVariable>",
                        "</UpdateVariable>",
                        "<JSONPatch>",
                        "</JSONPatch>",
                        "<Analysis>",
                        "</Analysis>",
                    ],
                    *[
                        "_.set(",
                        "'世界.门'",
                        ",",
                        ");",
                        "//",
                        "\n",
                        "/*",
                        "[{",
                        "}]",
                        "op:'remove',",
                        '"',
                        "\\",
                        "\ud800",
                    ],
                ]
            )
        ).map("".join)
    )
    def test_any_reply_gives_a_translation(self, reply: str) -> None:
        assert isinstance(replied(reply), Translation)

    @pytest.mark.parametrize(
        "inside",
        [
            "_.set(" * 40_000,
            "_.set(\n" * 35_000,
            "_.set('x', 1);" * 15_000,
            "<Analysis></JSONPatch>" * 11_000,
            "_.set('" + "a." * 50_000 + "', 1);",
            "/*" * 99_999,
            "(" * 200_000,
        ],
        ids=lambda inside: inside[:12],
    )
    def test_a_reply_meant_to_harm_is_translated_soon(self, inside: str) -> None:
        assert translated(inside).changes == []
