"""What the pages of negotiations share: finding one, what each prints of it, and performing an operation for a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import BAD, GOOD, HALT, IDLE, WAIT, State, Tab
from negotiation_app.access import CHANGE, negotiation_for
from negotiation_app.models import Negotiation
from negotiation_app.operations.performing import Asked, perform
from negotiation_app.protocol.names import Role

Json = dict[str, Any]
PLACE = "negotiations"
TABS = (
    ("Position", "negotiation"),
    ("Evidence", "negotiation-evidence"),
    ("Deal", "negotiation-deal"),
    ("Patches", "negotiation-patches"),
    ("Role-play", "negotiation-simulations"),
    ("Inbox", "negotiation-inbox"),
    ("Timeline", "negotiation-timeline"),
    ("Brief", "negotiation-brief"),
    ("Settings", "negotiation-settings"),
)
_LOOKS = {
    "ACTIVE": (GOOD, GOOD),
    "PAUSED": (WAIT, WAIT),
    "CLOSED": (IDLE, IDLE),
    "NO_DEAL": (IDLE, HALT),
    "PASS": (GOOD, GOOD),
    "FAIL": (BAD, BAD),
    "OPEN": (WAIT, WAIT),
    "RESOLVED": (GOOD, GOOD),
    "DISSOLVED": (IDLE, IDLE),
    "CURRENT": (GOOD, GOOD),
    "STALE": (WAIT, WAIT),
    "NEEDS_REVIEW": (WAIT, HALT),
    "KNOWN": (GOOD, GOOD),
    "SUPPORTED_INFERENCE": (WAIT, GOOD),
    "HYPOTHESIS": (WAIT, WAIT),
    "UNKNOWN": (IDLE, IDLE),
    "SUBMITTED": (WAIT, WAIT),
    "APPLIED": (GOOD, GOOD),
    "PARTIALLY_APPLIED": (WAIT, GOOD),
    "PARKED": (WAIT, HALT),
    "REJECTED": (IDLE, HALT),
    "WITHDRAWN": (IDLE, HALT),
    "RECORDED_IN_ERROR": (IDLE, HALT),
    "GRANTED": (GOOD, GOOD),
    "OFFERED": (WAIT, WAIT),
    "USED": (GOOD, GOOD),
    "REVOKED": (IDLE, HALT),
    "MET": (GOOD, GOOD),
    "NOT_MET": (BAD, BAD),
}


@dataclass(frozen=True)
class Held:
    """A negotiation, and the roles in which an account comes to it."""

    row: Negotiation
    roles: frozenset[Role]

    def may(self, role: Role) -> bool:
        return role in self.roles


def readable(request: HttpRequest, ref: str) -> Held:
    """Return the negotiation in which the account has a role. Raises NotFound."""
    return Held(*negotiation_for(request.user, ref))


def in_negotiation(request: HttpRequest, held: Held, here: str) -> Json:
    """Return what every page of a negotiation prints: its name, its tabs, and what the account may do."""
    row = held.row
    return {
        "negotiation": row,
        "status": state_of(row.status),
        "place": PLACE,
        "title": row.title,
        "tabs": [Tab(word, address(name, row.ref), name == here) for word, name in TABS],
        "roles": sorted(held.roles),
        "is_orchestrator": held.may(Role.ORCHESTRATOR),
        "is_principal": held.may(Role.PRINCIPAL),
        "is_specialist": held.may(Role.SPECIALIST),
        "may_grant": request.user.has_perm(f"negotiation_app.{CHANGE}"),
    }


def live_of(held: Held) -> str:
    """Return the address of the stream that tells when a page of the negotiation has to be fetched again."""
    return address("negotiation-live", held.row.ref)


def state_of(word: Any) -> State:
    """Return how a word of the protocol is shown; one that is not known stays as it is."""
    text = str(word)
    look, shape = _LOOKS.get(text, (IDLE, IDLE))
    return State(text.replace("_", " ").lower(), look, shape)


def act(request: HttpRequest, held: Held, operation: str, body: Json) -> Json:
    """Perform an operation for a form, under the form's key. Raises what the protocol refuses."""
    key = request.POST.get("formKey") or None
    return perform(
        negotiation_id=held.row.pk,
        asked=Asked(operation, body, f"form:{key[:64]}" if key else None),
        roles=held.roles,
        actor=actor_of(request.user),
        now=timezone.now(),
    )


def version_in(request: HttpRequest) -> int:
    """Return the version that a form was shown at; -1, which is none, where it carries no number."""
    given = request.POST.get("stateVersion", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else -1  # noqa: PLR2004 - 2^53 has 16
