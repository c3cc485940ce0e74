"""The state: read as it is and as it was, as a model reads it, and asked by conditions and world books."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.canonical import digest
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem
from fabric_app.mesh.http.preconditions import etag
from fabric_app.mesh.http.reading import Query, body_of
from fabric_app.mesh.http.reference import described, parameter
from fabric_app.mesh.http.schemas import OBJECT, SEQUENCE, TEXT, ref
from sessions_app.api import bodies
from sessions_app.api.door import Door
from sessions_app.api.problems import within
from sessions_app.api.renderers import MarkdownRenderer
from sessions_app.protocol.condition import compile_condition
from sessions_app.protocol.condition_places import places_of
from sessions_app.protocol.contract import contract_of
from sessions_app.protocol.contract_text import Language
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.reads import read_state
from sessions_app.protocol.world_book import NOT_CONSIDERED
from sessions_app.queries import settled
from sessions_app.queries_books import activations
from sessions_app.stored_state import projection_at, stored_projection

NAMESPACE = parameter("namespace", TEXT, "One namespace alone.")
AT = parameter("at", SEQUENCE, "The state as it was after the event with this sequence.")
MAX_BYTES = parameter("maxBytes", SEQUENCE, "The size that the contract may have; 65536 by default.")
FORMAT = parameter("format", TEXT, "`json` or `markdown`; else what Accept asks for.")
LANGUAGE = parameter("language", {"type": "string", "enum": ["en", "zh"]}, "Of the Markdown; `en` by default.")
CONTRACT_BYTES, LEAST_CONTRACT, MOST_CONTRACT = 65_536, 256, 4_194_304


class StateDoor(Door):
    """A view of the state as it is now."""

    def state(self, session_id: UUID) -> Projection:
        """Return the state of one moment. Raises NotFound."""
        return settled(self.session(session_id), stored_projection)[1]


class State(Door):
    @described(
        "getSessionState",
        "Read the state of a session: all of it or one namespace, as it is or as it was",
        tag="sessions",
        parameters=[NAMESPACE, AT],
        responses={200: OBJECT},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        query = Query(request)
        name, at = query.text("namespace"), query.number("at", least=1)
        query.done()
        session, projection = settled(
            self.session(session_id),
            stored_projection if at is None else lambda session: projection_at(session, at)[1],
        )
        headers = {"ETag": etag(session.version)} if at is None else {}
        if name is None:
            return Response(projection.as_json(), headers=headers)
        if name not in projection.namespaces:
            raise NotFound(what="namespace", name=name[:128])
        return Response({"namespace": name, **projection.namespaces[name].as_json()}, headers=headers)


class Reads(StateDoor):
    @described(
        "readSessionState",
        "Answer a model's `rp_state_read`: list the namespaces, or get one",
        tag="sessions",
        body=OBJECT,
        responses={200: OBJECT},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        return Response(read_state(self.state(session_id), request.data))


class Contract(StateDoor):
    renderer_classes = (*Door.renderer_classes, MarkdownRenderer)

    @described(
        "getContract",
        "Read what a model has to know before it commits: rules, values, exact revisions, what seldom changes first",
        tag="sessions",
        parameters=[MAX_BYTES, FORMAT, LANGUAGE],
        responses={(200, "application/json"): OBJECT, (200, "text/markdown"): TEXT},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        query = Query(request)
        most = query.number("maxBytes", least=LEAST_CONTRACT) or CONTRACT_BYTES
        query.text("format")
        language = query.text("language") or Language.ENGLISH.value
        query.done()
        problems = []
        if most > MOST_CONTRACT:
            problems.append(Problem("/maxBytes", "too_large", f"must be at most {MOST_CONTRACT}."))
        if language not in set(Language):
            problems.append(Problem("/language", "not_allowed", f"must be one of: {', '.join(Language)}."))
        if problems:
            raise InvalidArguments(problems)
        contract = contract_of(self.state(session_id), max_bytes=most)
        told: Any = contract.as_json()
        if request.accepted_renderer.format == MarkdownRenderer.format:
            told = contract.as_markdown(Language(language))
        return Response(told, headers={"ETag": f'"{digest(told)}"'})


class Conditions(StateDoor):
    @described(
        "askCondition",
        "Ask a condition about the state as it is: whether it holds, why it could not be decided, what it reads",
        tag="sessions",
        body=bodies.CONDITION,
        responses={200: ref("ConditionAnswer")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        self.session(session_id)
        body = body_of(request, bodies.CONDITION, free=("condition",))
        with within("/condition"):
            condition = compile_condition(body["condition"])
        state = self.state(session_id).values()
        outcome = condition.evaluate(state)
        told = {"active": outcome.active, "reads": places_of(condition, state)}
        return Response(told if outcome.diagnostic is None else {**told, "diagnostic": outcome.diagnostic.as_json()})


class Activations(Door):
    @described(
        "listActiveEntries",
        "See which world-book entries are active for a text, and why the others are not",
        tag="world books",
        body=bodies.ACTIVATION,
        responses={200: ref("Activations")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id)
        body = body_of(request, bodies.ACTIVATION)
        books = (
            [self.book_named(name, f"/books/{index}") for index, name in enumerate(body["books"])]
            if "books" in body
            else None
        )
        _, entries = settled(session, lambda session: activations(session, body["text"], books))
        return Response({"entries": entries, "notConsidered": list(NOT_CONSIDERED)})
