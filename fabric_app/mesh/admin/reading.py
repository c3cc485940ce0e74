"""The base of every page that only shows rows: no button adds, changes or deletes, and no list counts a whole log."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.clock import to_ms

MOST_ROWS = 5000
PAGE = 50
SPANS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages over the first rows of a list; the rest is neither counted nor skipped through, but filtered for."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MOST_ROWS].count())


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows to look at. Its lists page by the model's own order, at a fixed number of queries.

    text_search: columns of text; json_search: columns of JSON text, searched as they are stored. Both set
    `search_fields`, which Django looks at to show the box.
    """

    actions: Any = None
    actions_on_top = True
    list_per_page = PAGE
    list_max_show_all = PAGE
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    sortable_by = ()
    json_search: tuple[str, ...] = ()
    search_help_text = (
        f"At most {MOST_ROWS:,} rows are paged through, in the order of the list. Filters, a search, or "
        "?sequence__lt=100 (?id__lt=100 where rows have no sequence) in the address reach older ones."
    )

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.get_fields(request, obj) if self.fields else ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows in which every word of the term occurs in one of the searched columns."""
        stored = {f"{name}_as_stored": Cast(name, TextField()) for name in self.json_search}
        rows = queryset.alias(**stored)
        for word in search_term.replace("\0", "").split():
            rows = rows.filter(self._occurs(word))
        return rows, False

    def _occurs(self, word: str) -> Q:
        columns = [name for name in self.search_fields if name not in self.json_search]
        found = Q()
        for name in columns:
            found |= Q(**{f"{name}__icontains": word})
        for name in self.json_search:
            found |= Q(**{f"{name}_as_stored__icontains": dumps(word)[1:-1]})
        if self.model._meta.pk.get_internal_type() == "UUIDField" and (pk := _uuid(word)) is not None:
            found |= Q(pk=pk)
        return found


class CreatedFilter(admin.SimpleListFilter):
    """Rows of the last day, week or month, by their milliseconds."""

    title = "time"
    parameter_name = "created"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("day", "Past day"), ("week", "Past 7 days"), ("month", "Past 30 days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        span = SPANS.get(self.value() or "")
        return queryset if span is None else queryset.filter(created_at_ms__gte=to_ms(timezone.now() - span))


def _uuid(word: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(word)
    except ValueError:
        return None
