"""The people and programs of a house, made by the product's own operations, and how each calls its API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.utils import timezone
from rest_framework.test import APIClient

from fabric_app.models import Workspace
from fabric_app.operations.accounts import create_service_account, issue_token

WEEK = timedelta(days=7)


def person(name: str, group: str | None = None) -> User:
    """Create an account in a group of the product."""
    user = User.objects.create_user(username=name)
    if group:
        user.groups.add(Group.objects.get(name=group))
    return user


def client_of(user: User) -> APIClient:
    """Return a client that sends a fresh token of the account."""
    _, secret = issue_token(user=user, name="test", expires_in=WEEK, now=timezone.now())
    return client_with(secret)


def client_with(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def service(name: str, workspace: Workspace, *may: str, **options: Any) -> APIClient:
    """Create a service account with these permissions on the workspace, and return its client."""
    _, secret = create_service_account(
        name=name, workspaces=[workspace], permissions=may, expires_in=WEEK, now=timezone.now(), **options
    )
    return client_with(secret)
