"""The demo negotiations: what `manage.py demo` tells is true and can be told again."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from fabric_app.mesh.canonical import dumps
from negotiation_app.bundles import bundle_of, verify
from negotiation_app.demo.telling import tell_negotiations
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import check_negotiation
from negotiation_app.queries import state_document

pytestmark = pytest.mark.django_db(transaction=True)


class TestTellingTheDemo:
    def test_two_negotiations_show_what_they_promise_and_are_clean(self) -> None:
        said: list[str] = []

        tell_negotiations(said.append)
        tell_negotiations(said.append)

        renewal, salary = Negotiation.objects.order_by("ref")
        state = state_document(renewal, now=timezone.now())
        assert state["contradictions"]["contradiction-1"]["status"] == "OPEN"
        assert state["concessions"]["seats-down"]["state"] == "WITHDRAWN"
        assert state["reviews"]["review-1"]["result"] == "FAIL"
        assert state["overrides"]["override-review-1"]["review"] == "review-1"
        assert state["findings"]["migration-risk"]["disposition"] == "TEST"
        assert state["patches"]["benchmark"]["status"] == "SUBMITTED"
        for each in (renewal, salary):
            assert check_negotiation(each.ref) == []


class TestTheAuditBundle:
    def test_proves_itself_and_tells_what_was_changed_in_it(self, tmp_path) -> None:
        tell_negotiations(lambda _sentence: None)
        bundle = json.loads(dumps(bundle_of(Negotiation.objects.order_by("ref")[0], now=timezone.now())))
        file = tmp_path / "bundle.json"
        file.write_text(dumps(bundle))

        call_command("verify_bundle", str(file))
        assert verify(bundle) == []

        bundle["entries"][3]["data"]["recordedAt"] = "2026-01-01T00:00:00Z"
        assert verify(bundle) == ["Entry 4 was changed: its digest is another."]
        del bundle["entries"][3]
        assert verify(bundle) == ["Entry 5 follows entry 3: entries between them are gone, or out of order."]
