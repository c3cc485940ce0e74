"""The mesh itself: topics and keys as they are stored. What the product keeps there can be read, and not written."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.access import WRITE
from fabric_app.api import schemas
from fabric_app.api.door import Door
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.preconditions import etag, version_named
from fabric_app.mesh.http.reading import Query, body_of, version_in
from fabric_app.mesh.http.reference import CURSOR, IF_MATCH, LIMIT, described, parameter
from fabric_app.mesh.http.schemas import SEQUENCE, TEXT, ref
from fabric_app.operations.mesh_writes import delete_key, publish, put_key
from fabric_app.queries import mesh_get, mesh_list, mesh_read

TAG = "mesh"
AFTER = parameter("after", SEQUENCE, "Oldest events after this sequence number; without it, the newest ones.")
TOPIC = parameter("topic", TEXT, "Only events of this topic.")
TO = parameter("to", TEXT, "Only events to this recipient.")
PREFIX = parameter("prefix", TEXT, "Only keys that begin with this text.")
IF_VERSION = parameter("ifVersion", SEQUENCE, "The version that you read, as an alternative to If-Match.")


class Events(Door):
    @described(
        "listEvents",
        "Read events, oldest first (`mesh.read`)",
        tag=TAG,
        parameters=[AFTER, TOPIC, TO, LIMIT],
        responses={200: ref("EventPage")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        after, topic, to = query.number("after"), query.text("topic"), query.text("to")
        query.paged()
        query.done()
        limit = self.pages.limit(request)
        events = mesh_read(self.workspace(slug), after=after, topic=topic, to=to, limit=limit)
        is_full = len(events) == limit and after is not None
        next_address = self.pages.address_with(request, "after", events[-1]["sequence"]) if is_full else None
        return Response({"results": events, "next": next_address})

    @described(
        "publishEvent",
        "Publish an event on a topic of your own (`mesh.publish`)",
        tag=TAG,
        body=schemas.NEW_EVENT,
        responses={201: ref("Event")},
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace = self.workspace(slug, WRITE)
        body = body_of(request, schemas.NEW_EVENT, free=("data",))
        event = publish(
            workspace=workspace,
            topic=body["topic"],
            kind=body.get("kind"),
            to=body.get("to"),
            text=body.get("text"),
            data=body.get("data"),
            actor=self.actor(),
            now=self.now(),
        )
        return Response(event, status=201)


class Keys(Door):
    @described(
        "listKeys",
        "List keys with their values, in code point order (`mesh.list`)",
        tag=TAG,
        parameters=[PREFIX, CURSOR, LIMIT],
        responses={200: ref("KeyPage")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        prefix = query.text("prefix") or ""
        query.paged()
        query.done()
        asked = self.pages.asked(request, place=str)
        workspace = self.workspace(slug)
        entries = mesh_list(workspace, prefix=prefix, limit=asked.limit, after=asked.after or "")
        next_place = entries[-1]["key"] if len(entries) == asked.limit else None
        return Response(self.pages.page(request, entries, next_place=next_place))


class Key(Door):
    @described(
        "getKey",
        "Read a key (`mesh.get`)",
        tag=TAG,
        responses={200: ref("KeyEntry")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, slug: str, key: str) -> Response:
        Query(request).done()
        entry = mesh_get(self.workspace(slug), key)
        if entry is None:
            raise NotFound(what="key", name=key[:300])
        return Response(entry, headers={"ETag": etag(entry["version"])})

    @described(
        "putKey",
        "Store a value under a key of your own (`mesh.put`)",
        tag=TAG,
        body=schemas.NEW_VALUE,
        parameters=[IF_MATCH],
        responses={200: ref("KeyEntry")},
        headers={200: ("ETag",)},
    )
    def put(self, request: Request, slug: str, key: str) -> Response:
        workspace = self.workspace(slug, WRITE)
        body = body_of(request, schemas.NEW_VALUE, free=("value",))
        entry = put_key(
            workspace=workspace,
            key=key,
            value=body["value"],
            if_version=version_named(request, version_in(body, "ifVersion"), member="ifVersion"),
            actor=self.actor(),
            now=self.now(),
        )
        return Response(entry, headers={"ETag": etag(entry["version"])})

    @described(
        "deleteKey",
        "Delete a key of your own; its version stays (`mesh.delete`)",
        tag=TAG,
        parameters=[IF_MATCH, IF_VERSION],
        responses={200: ref("Deleted")},
    )
    def delete(self, request: Request, slug: str, key: str) -> Response:
        query = Query(request)
        in_query = query.number("ifVersion")
        query.done()
        workspace = self.workspace(slug, WRITE)
        expected = version_named(request, in_query, member="ifVersion")
        deleted = delete_key(workspace=workspace, key=key, if_version=expected, actor=self.actor(), now=self.now())
        return Response(deleted)
