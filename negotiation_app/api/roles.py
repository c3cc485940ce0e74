"""Who has which role in a negotiation, and the audit bundle."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.http.reading import Query, body_of
from fabric_app.mesh.http.reference import described
from fabric_app.mesh.http.schemas import BOOLEAN, OBJECT, ref, taken, text_up_to
from negotiation_app.access import CHANGE, require
from negotiation_app.api.door import Door
from negotiation_app.bundles import bundle_of
from negotiation_app.operations.roles import grant_role, role_holders, withdraw_role
from negotiation_app.protocol.names import Role

GRANT = taken(
    {
        "account": text_up_to(150),
        "role": {"type": "string", "enum": [each.value for each in Role]},
        "isGranted": BOOLEAN,
        "reason": text_up_to(4_096),
    },
    required=("account", "role", "isGranted", "reason"),
)


class Roles(Door):
    @described(
        "listNegotiationRoles",
        "List the accounts that were given a role in a negotiation",
        tag="negotiations",
        responses={200: ref("NegotiationRoles")},
    )
    def get(self, request: Request, ref: str) -> Response:
        Query(request).done()
        negotiation, _ = self.negotiation(ref)
        return Response({"results": role_holders(negotiation)})

    @described(
        "grantNegotiationRole",
        "Give an account a role, or take it back (operators)",
        tag="negotiations",
        body=GRANT,
        responses={200: ref("NegotiationRoles")},
    )
    def post(self, request: Request, ref: str) -> Response:
        negotiation, _ = self.negotiation(ref)
        require(request.user, CHANGE, negotiation)
        body = body_of(request, GRANT)
        change = grant_role if body["isGranted"] else withdraw_role
        change(
            negotiation=negotiation,
            account=body["account"],
            role=Role(body["role"]),
            reason=body["reason"],
            actor=self.actor(),
            now=self.now(),
        )
        return Response({"results": role_holders(negotiation)})


class Bundle(Door):
    @described(
        "exportNegotiationBundle",
        "Read the audit bundle: every entry of the log with its digests; `manage.py verify_bundle` proves it",
        tag="negotiations",
        responses={200: OBJECT},
    )
    def get(self, request: Request, ref: str) -> Response:
        Query(request).done()
        negotiation, _ = self.negotiation(ref)
        headers = {"Content-Disposition": f'attachment; filename="{negotiation.ref}-bundle.json"'}
        return Response(bundle_of(negotiation, now=self.now()), headers=headers)
