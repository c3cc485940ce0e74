"""The artefacts of a negotiation: which were written, and each as it reads."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.reading import Query
from fabric_app.mesh.http.reference import CURSOR, LIMIT, described
from fabric_app.mesh.http.schemas import ref
from negotiation_app.api.door import Door
from negotiation_app.queries_artefacts import artefact_json, artefact_page


class Artefacts(Door):
    @described(
        "listNegotiationArtefacts",
        "List the artefacts that were written, in order, each with the digest that commits to it",
        tag="negotiations",
        parameters=[CURSOR, LIMIT],
        responses={200: ref("NegotiationArtefactPage")},
    )
    def get(self, request: Request, ref: str) -> Response:
        query = Query(request)
        query.paged()
        query.done()
        negotiation, _ = self.negotiation(ref)
        asked = self.pages.asked(request, place=int)
        found = artefact_page(negotiation, after=asked.after or 0, limit=asked.limit + 1)
        shown = found[: asked.limit]
        next_place = shown[-1]["sequence"] if len(found) > asked.limit else None
        return Response(self.pages.page(request, shown, next_place=next_place))


class OneArtefact(Door):
    @described(
        "getNegotiationArtefact",
        "Read an artefact: the state as it was written at an entry of the log",
        tag="negotiations",
        responses={200: ref("NegotiationArtefact")},
    )
    def get(self, request: Request, ref: str, sequence: int) -> Response:
        Query(request).done()
        negotiation, _ = self.negotiation(ref)
        found = artefact_json(negotiation, sequence)
        if found is None:
            raise NotFound(what="artefact", name=str(sequence))
        return Response(found)
