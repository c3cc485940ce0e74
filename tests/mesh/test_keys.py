"""Compare-and-swap keys: versions, deletion, reserved names, sizes, and what is read back."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from fabric_app.mesh.errors import InvalidArguments
from fabric_app.mesh.keys import CasFailed, InvalidKey, ValueTooLarge
from fabric_app.mesh.models import KeyVersion
from fabric_app.models import Workspace
from fabric_app.operations.mesh_writes import Reserved, delete_key, put_key
from fabric_app.queries import mesh_get, mesh_list
from tests.factories import MAYA, NOON, NOON_MS, make_workspace

pytestmark = pytest.mark.django_db

BY: dict[str, Any] = {"actor": MAYA, "now": NOON}
scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text()
values = st.recursive(
    scalars | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


class TestPut:
    def test_it_counts_versions_and_says_who_and_when(self, workspace: Workspace) -> None:
        put_key(workspace=workspace, key="notes/a", value=1, **BY)

        entry = put_key(workspace=workspace, key="notes/a", value={"b": 2}, if_version=1, **BY)

        assert entry == {
            "key": "notes/a", "value": {"b": 2}, "version": 2, "updatedAt": NOON_MS, "updatedBy": MAYA.as_json(),
        }  # fmt: skip
        assert mesh_get(workspace, "notes/a") == entry

    def test_a_stale_version_is_refused_and_leaves_no_version(self, workspace: Workspace) -> None:
        put_key(workspace=workspace, key="notes/a", value=1, **BY)

        with pytest.raises(CasFailed) as refused:
            put_key(workspace=workspace, key="notes/a", value=2, if_version=0, **BY)

        assert refused.value.details == {"key": "notes/a", "expected": 0, "found": 1}
        assert KeyVersion.objects.count() == 1

    @pytest.mark.parametrize("key", ["state/current", "state/complexity/a.ts", "schema/workspace"])
    def test_reserved_keys_are_refused(self, workspace: Workspace, key: str) -> None:
        for write in (lambda: put_key(workspace=workspace, key=key, value=1, **BY),
                      lambda: delete_key(workspace=workspace, key=key, **BY)):  # fmt: skip
            with pytest.raises(Reserved):
                write()

    @pytest.mark.parametrize("key", ["", "a b", "\0", "a/__proto__", "k" * 257, "é"])
    def test_a_name_outside_the_grammar_is_refused(self, workspace: Workspace, key: str) -> None:
        with pytest.raises(InvalidKey):
            put_key(workspace=workspace, key=key, value=1, **BY)

    def test_null_is_no_value(self, workspace: Workspace) -> None:
        with pytest.raises(InvalidArguments):
            put_key(workspace=workspace, key="notes/a", value=None, **BY)

    def test_sizes_are_bytes_of_json_escapes_included(self, workspace: Workspace, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "MAX_EVENT_BYTES": 1024}
        put_key(workspace=workspace, key="notes/a", value="\x01" * 170, **BY)

        with pytest.raises(ValueTooLarge):
            put_key(workspace=workspace, key="notes/a", value="\x01" * 171, **BY)

    @given(value=values.filter(lambda value: value is not None))
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_a_value_reads_back_as_it_was_written(self, value: Any) -> None:
        workspace = make_workspace(slug=f"w-{uuid.uuid4().hex}")

        put_key(workspace=workspace, key="notes/a", value=value, **BY)

        found = mesh_get(workspace, "notes/a")
        assert found is not None
        assert repr(found["value"]) == repr(value)


class TestDelete:
    def test_the_version_stays_and_creation_goes_on_from_it(self, workspace: Workspace) -> None:
        put_key(workspace=workspace, key="notes/a", value=1, **BY)

        assert delete_key(workspace=workspace, key="notes/a", **BY) == {"deleted": True, "version": 1}
        assert mesh_get(workspace, "notes/a") is None
        with pytest.raises(CasFailed):
            put_key(workspace=workspace, key="notes/a", value=2, if_version=0, **BY)
        assert put_key(workspace=workspace, key="notes/a", value=2, if_version=1, **BY)["version"] == 2

    @given(steps=st.lists(st.sampled_from(["put", "delete"]), max_size=10))
    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_version_is_given_twice(self, steps: list[str]) -> None:
        workspace = make_workspace(slug=f"w-{uuid.uuid4().hex}")
        for step in steps:
            if step == "put":
                put_key(workspace=workspace, key="notes/a", value=step, **BY)
            else:
                delete_key(workspace=workspace, key="notes/a", **BY)

        written = KeyVersion.objects.filter(workspace=workspace, is_deletion=False).order_by("sequence")
        versions = list(written.values_list("version", flat=True))
        assert versions == list(range(1, steps.count("put") + 1))


class TestList:
    def test_it_is_in_code_point_order_and_pages_by_key(self, workspace: Workspace) -> None:
        for key in ("n/b", "n/B", "n/a", "other", "N/a"):
            put_key(workspace=workspace, key=key, value=1, **BY)

        assert [entry["key"] for entry in mesh_list(workspace, prefix="n/")] == ["n/B", "n/a", "n/b"]
        assert [entry["key"] for entry in mesh_list(workspace, prefix="n/", after="n/B", limit=1)] == ["n/a"]
        assert mesh_list(workspace, prefix="n_") == []
