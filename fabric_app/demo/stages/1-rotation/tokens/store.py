"""Refresh tokens in memory: token -> family, with the tokens that were used and the families that were revoked."""

import secrets


class TokenStore:
    def __init__(self):
        self.families = {}
        self.used = set()
        self.revoked = set()

    def issue(self, family):
        token = secrets.token_urlsafe(16)
        self.families[token] = family
        return token
