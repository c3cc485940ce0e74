"""Notifications by e-mail: none is lost, none goes twice, and none goes for what was rolled back. Section 14."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import override_settings

from negotiation_app.models import NotificationMail
from negotiation_app.operations import mails
from negotiation_app.protocol.names import Role
from negotiation_app.queries import state_document
from tests.negotiation.deals import Deal, every_operation, with_something_of_everything
from tests.people import person

pytestmark = pytest.mark.django_db(transaction=True)

BODIES = {operation: body for operation, _, body in every_operation()}


@pytest.fixture
def mail_server() -> Iterator[None]:
    with override_settings(STATEHOUSE={**settings.STATEHOUSE, "SENDS_MAIL": True}):
        yield


@pytest.fixture
def deal() -> Deal:
    """Return a negotiation that has a BATNA, so that another one is a change, and a principal with an address."""
    deal = with_something_of_everything()
    petra = deal.people[Role.PRINCIPAL]
    petra.email = "petra@example.org"
    petra.save()
    return deal


def notified(deal: Deal) -> list[str]:
    """Let the BATNA change, which the principal has to hear of, and return the notifications."""
    return [told["ref"] for told in deal.say("set_batna", BODIES["set_batna"])["notifications"]]


def broken(*_args: Any, **_named: Any) -> int:
    raise ConnectionRefusedError("no mail server")


def later(seconds: float) -> Any:
    return time_machine.travel(NotificationMail.objects.get().next_try_at + timedelta(seconds=seconds), tick=False)


@pytest.mark.usefixtures("mail_server")
class TestTheOutbox:
    def test_has_a_mail_for_each_principal_with_an_address(self, deal: Deal) -> None:
        for name, address in (("paul", "paul@example.org"), ("pia", "")):
            user = person(name)
            user.email = address
            user.save()
            deal.grant(user, Role.PRINCIPAL)

        refs = notified(deal)

        found = NotificationMail.objects.order_by("user__username").values_list("notification", "user__email")
        assert list(found) == [(refs[0], "paul@example.org"), (refs[0], "petra@example.org")]
        assert mail.outbox == []

    def test_has_nothing_for_what_was_rolled_back(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("negotiation_app.operations.performing._keep", broken)

        with pytest.raises(ConnectionRefusedError):
            notified(deal)

        assert not NotificationMail.objects.exists()

    def test_has_nothing_for_an_acknowledgement(self, deal: Deal) -> None:
        ref = notified(deal)[0]

        deal.say("acknowledge_notification", {"notification": ref})

        assert NotificationMail.objects.count() == 1

    def test_has_nothing_for_those_whose_account_is_closed(self, deal: Deal) -> None:
        petra = deal.people[Role.PRINCIPAL]
        petra.is_active = False
        petra.save()

        notified(deal)

        assert not NotificationMail.objects.exists()


class TestWithoutAMailServer:
    def test_nothing_is_put_aside_or_sent(self, deal: Deal) -> None:
        notified(deal)

        assert not NotificationMail.objects.exists()
        assert mails.send_due() == 0


@pytest.mark.usefixtures("mail_server")
class TestSending:
    def test_sends_each_mail_once(self, deal: Deal) -> None:
        ref = notified(deal)[0]

        with later(1):
            assert (mails.send_due(), mails.send_due()) == (1, 0)

        sent = mail.outbox[0]
        told = state_document(deal.row, now=deal.clock)["notifications"][ref]
        assert sent.to == ["petra@example.org"]
        assert sent.subject == "Renewal of a licence: BATNA_CHANGED"
        assert [told[name] in sent.body for name in ("newEvidence", "priorView", "changedRecommendation")] == [True] * 3

    def test_by_two_senders_at_once_goes_out_once(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        notified(deal)
        others: list[int] = []
        deliver = EmailBackend.send_messages

        def meanwhile(backend: EmailBackend, messages: Any) -> int:
            monkeypatch.setattr(EmailBackend, "send_messages", deliver)
            others.append(mails.send_due())
            return deliver(backend, messages)

        monkeypatch.setattr(EmailBackend, "send_messages", meanwhile)
        with later(1):
            assert mails.send_due() == 1

        assert others == [0]
        assert len(mail.outbox) == 1

    def test_that_failed_is_tried_again_after_a_pause(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        notified(deal)
        with monkeypatch.context() as patch:
            patch.setattr(EmailBackend, "send_messages", broken)
            with later(0):
                assert mails.send_due() == 0
                assert mails.send_due() == 0
        waiting = NotificationMail.objects.get()
        assert (waiting.attempts, waiting.sent_at, waiting.error) == (1, None, "no mail server")

        with later(0):
            assert mails.send_due() == 1
        assert NotificationMail.objects.get().error == ""

    def test_that_fails_delays_no_other(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        paul = person("paul")
        paul.email = "paul@example.org"
        paul.save()
        deal.grant(paul, Role.PRINCIPAL)
        notified(deal)
        deliver = EmailBackend.send_messages

        def refuses_petra(backend: EmailBackend, messages: Any) -> int:
            if messages[0].to == ["petra@example.org"]:
                raise SMTPRecipientsRefused({})
            return deliver(backend, messages)

        monkeypatch.setattr(EmailBackend, "send_messages", refuses_petra)
        with time_machine.travel(deal.clock + timedelta(hours=1), tick=False):
            assert mails.send_due() == 1

        assert [each.to for each in mail.outbox] == [["paul@example.org"]]

    def test_is_given_up_after_ten_attempts(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        notified(deal)
        NotificationMail.objects.update(attempts=mails.MOST_ATTEMPTS)

        with later(1):
            assert mails.send_due() == 0

    @pytest.mark.parametrize("title", ["Line\nbreak", "Line\r\nBcc: all@example.org", "A\u2028B\x0bC"])
    def test_survives_any_title(self, title: str) -> None:
        deal = with_something_of_everything(title=title)
        petra = deal.people[Role.PRINCIPAL]
        petra.email = "petra@example.org"
        petra.save()
        notified(deal)

        with later(1):
            assert mails.send_due() == 1
        assert "Bcc" not in mail.outbox[0].message()
