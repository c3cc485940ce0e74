"""What other people do in negotiations while a browser looks on. Each function is called in a process of its own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from fabric_app.mesh.actors import SYSTEM, actor_of
from negotiation_app.models import Negotiation
from negotiation_app.operations.performing import Asked, create_negotiation, perform
from negotiation_app.operations.roles import grant_role
from negotiation_app.protocol.names import Role
from negotiation_app.queries import state_document
from tests.negotiation.protocol.talks import RENEWAL, ROLE_OF, WITHOUT_VERSION, fact, item, usd

Json = dict[str, Any]
HTML = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>"
NAMES = {Role.ORCHESTRATOR: "oksana", Role.SPECIALIST: "stig", Role.PRINCIPAL: "petra"}


def opened(ref: str) -> str:
    """Open a negotiation with a target; Maya is its orchestrator too. Return its ref."""
    people = {role: User.objects.get_or_create(username=name)[0] for role, name in NAMES.items()}
    maker = people[Role.ORCHESTRATOR]
    body = {**RENEWAL, "ref": ref, "title": f"Erneuerung der Lizenz {HTML}"}
    create_negotiation(body=body, user=maker, actor=actor_of(maker), now=timezone.now())
    for role, name in ((Role.SPECIALIST, "stig"), (Role.PRINCIPAL, "petra"), (Role.ORCHESTRATOR, "maya")):
        who = {"account": name, "role": role, "reason": "She deals.", "actor": SYSTEM, "now": timezone.now()}
        grant_role(negotiation=Negotiation.objects.get(ref=ref), **who)
    aim(ref, "90", "first")
    return ref


def say(ref: str, operation: str, body: Json) -> Json:
    """Perform an operation on the present version, as the one who may."""
    row = Negotiation.objects.get(ref=ref)
    if operation not in WITHOUT_VERSION:
        body = {"stateVersion": row.state_version, **body}
    role = ROLE_OF.get(operation, Role.ORCHESTRATOR)
    actor = actor_of(User.objects.get(username=NAMES[role]))
    asked = Asked(operation, body)
    return perform(negotiation_id=row.pk, asked=asked, roles=frozenset({role}), actor=actor, now=timezone.now())


def aim(ref: str, amount: str, source: str) -> None:
    say(ref, "set_boundary", {"boundary": _target(amount, source)})


def offer(ref: str, amount: str) -> None:
    proposal = {"ref": f"acme-{amount}", "side": "COUNTERPART", "terms": {"fee": usd(amount)}}
    say(ref, "record_proposal", {"proposal": proposal})


def suggest(ref: str, patch: str) -> None:
    """Propose another target and a fact, on what is known now."""
    target = {"op": "SUPERSEDE", "id": "aim-lower", "target": "boundaries/fee/TARGET", "reason": "A survey.",
              "boundary": _target("80", f"{patch}-survey")}  # fmt: skip
    learnt = {**fact(f"{patch}-list", usd("110"), item(f"{patch}-doc")), "id": "list-price"}
    version = Negotiation.objects.get(ref=ref).state_version
    body = {"ref": patch, "summary": HTML, "stateVersion": version, "operations": [target, learnt]}
    say(ref, "submit_patch", {"patch": body})


def contradict(ref: str) -> str:
    """Record two prices that are both known, and return the contradiction's ref."""
    both = [fact("list-old", usd("110"), item("old")), fact("list-new", usd("120"), item("new"))]
    answer = say(ref, "record_event", {"event": {"type": "NEW_FACT"}, "operations": both})
    return str(answer["contradictionsOpened"][0])


def state(ref: str) -> Json:
    """Return the target's amount, the propositions and the open contradictions."""
    told = state_document(Negotiation.objects.get(ref=ref), now=timezone.now())
    return {
        "target": told["boundaries"]["fee"]["TARGET"]["value"]["amount"],
        "statuses": {name: row["status"] for name, row in told["propositions"].items()},
        "superseded": [name for name, row in told["propositions"].items() if row["supersededBy"]],
        "open": [name for name, row in told["contradictions"].items() if row["status"] == "OPEN"],
        "patches": {name: row["status"] for name, row in told["patches"].items()},
    }


def _target(amount: str, source: str) -> Json:
    return {"issue": "fee", "kind": "TARGET", "value": usd(amount),
            "basis": {"reason": "as researched", "evidence": [item(source)]}}  # fmt: skip
