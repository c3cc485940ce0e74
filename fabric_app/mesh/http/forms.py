"""Forms: what was typed becomes the arguments of an action, and each problem stands beside its control.

A form holds no rule: the same reader that the API uses says what is wrong, and its sentence is printed.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, QueryDict

from fabric_app.mesh.canonical import digest
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.pages import problem_of
from fabric_app.mesh.http.values import Field
from fabric_app.mesh.http.values import Problem as ShownProblem
from fabric_app.mesh.idempotency import Idempotency

KEY = "formKey"
EMPTY: tuple[Any, ...] = ("", [])


def new_key() -> str:
    """Return a key for a form that is about to be shown."""
    return str(uuid.uuid4())


def idempotency_of(request: HttpRequest) -> Idempotency | None:
    """Return the form's key with the digest of everything that it says; None where the form carries none."""
    key = request.POST.get(KEY, "")
    if not re.fullmatch(r"[0-9a-f-]{36}", key):
        return None
    said = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    return Idempotency(user_id=request.user.pk or 0, key=f"form:{key}", request_digest=digest([request.path, said]))


def text(form: QueryDict, name: str) -> str:
    """Return what was typed, with the line ends that commands have."""
    return form.get(name, "").replace("\r\n", "\n")


def lines(form: QueryDict, name: str) -> list[str]:
    """Return the lines of a text that show something; a line that ends in a backslash goes on in the next one."""
    joined = re.split(r"(?<!\\)\n", text(form, name))
    return [line for line in joined if line.strip()]


def words(form: QueryDict, name: str) -> list[str]:
    """Return what stands between commas."""
    return [word.strip() for word in text(form, name).split(",") if word.strip()]


def with_problems(
    fields: Sequence[Field], error: StatehouseError | None, controls: Mapping[str, str]
) -> tuple[list[Field], ShownProblem | None]:
    """Return the fields with their errors, and what belongs to no field.

    controls: the control for each first member of a problem's path, where their names differ.
    """
    if error is None:
        return list(fields), None
    if not isinstance(error, InvalidArguments):
        return list(fields), problem_of(error)
    known = {field.name for field in fields}
    by_control: dict[str, list[str]] = {}
    rest: list[Problem] = []
    for problem in error.problems:
        member = problem.path.strip("/").split("/")[0]
        control = controls.get(member, member)
        if control in known:
            by_control.setdefault(control, []).append(_sentence(problem))
        else:
            rest.append(problem)
    marked = [replace(field, errors=tuple(by_control.get(field.name, ()))) for field in fields]
    return marked, ShownProblem(_joined(rest), error.code) if rest else None


def given(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without what was left empty."""
    return {
        name: value
        for name, value in arguments.items()
        if value is not None and value is not False and value not in EMPTY
    }


def _sentence(problem: Problem) -> str:
    detail = problem.detail
    return detail[:1].upper() + detail[1:]


def _joined(problems: Iterable[Problem]) -> str:
    return "; ".join(f"{problem.path or '/'}: {problem.detail}" for problem in problems)
