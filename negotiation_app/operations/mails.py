"""Notifications by e-mail, where a mail server is configured: an outbox, and the round that empties it.

A mail is put into the outbox by the transaction that makes the notification, so that none is lost and none is sent for
what was rolled back. A mail server that is away delays mails and nothing else. Source: section 14.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db.models import F
from django.utils import timezone
from guardian.shortcuts import get_users_with_perms

from negotiation_app.access import PERMISSION_OF
from negotiation_app.models import CurrentRow, Negotiation, NotificationMail
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.rows import Notification, Row

AT_ONCE = 50
MOST_ATTEMPTS = 10
FIRST_PAUSE = timedelta(seconds=30)


def is_configured() -> bool:
    """Tell whether there is a mail server to send by."""
    return bool(settings.STATEHOUSE["SENDS_MAIL"])


def put_into_outbox(negotiation: Negotiation, rows: Iterable[Row], *, now: datetime) -> None:
    """Put a mail to every principal with an address into the outbox, for each notification that was just made."""
    made = [row for row in rows if isinstance(row, Notification) and row.acknowledged_at is None]
    if not made or not is_configured():
        return
    NotificationMail.objects.bulk_create(
        [
            NotificationMail(negotiation=negotiation, notification=row.ref, user=user, next_try_at=now)
            for row in made
            for user in _principals(negotiation)
        ],
        ignore_conflicts=True,
    )


def send_due() -> int:
    """Send what is due, and return how many went out. Each mail is claimed first, so that two servers send it once."""
    if not is_configured():
        return 0
    now, sent = timezone.now(), 0
    due = NotificationMail.objects.filter(sent_at=None, next_try_at__lte=now, attempts__lt=MOST_ATTEMPTS)
    for mail in due.select_related("negotiation", "user").order_by("next_try_at")[:AT_ONCE]:
        claimed = NotificationMail.objects.filter(pk=mail.pk, attempts=mail.attempts, sent_at=None)
        pause = FIRST_PAUSE * 2**mail.attempts
        if claimed.update(attempts=F("attempts") + 1, next_try_at=now + pause):
            sent += _sent(mail)
    return sent


def _sent(mail: NotificationMail) -> int:
    row = CurrentRow.objects.get(negotiation=mail.negotiation, table="notifications", key=mail.notification).row
    # A header is one line, whatever kinds of line ends a title has.
    subject = " ".join(f"{mail.negotiation.title}: {', '.join(row['triggers'])}".split())
    parts = [row["newEvidence"], row["priorView"], row["changedRecommendation"]]
    try:
        send_mail(subject, "\n\n".join(parts), settings.DEFAULT_FROM_EMAIL, [mail.user.email])
    except (OSError, ValueError) as fault:
        NotificationMail.objects.filter(pk=mail.pk).update(error=str(fault)[:500])
        return 0
    NotificationMail.objects.filter(pk=mail.pk).update(sent_at=timezone.now(), error="")
    return 1


def _principals(negotiation: Negotiation) -> list[User]:
    wanted = [PERMISSION_OF[Role.PRINCIPAL]]
    held: Any = get_users_with_perms(negotiation, only_with_perms_in=wanted, with_group_users=False)
    addressed = get_user_model().objects.filter(pk__in=[user.pk for user in held], is_active=True)
    return list(addressed.exclude(email=""))
