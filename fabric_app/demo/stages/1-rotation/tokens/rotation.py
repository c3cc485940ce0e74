"""Rotation: a refresh token is exchanged for the next one, once."""

import time


class Rejected(Exception):
    pass


class Rotation:
    def __init__(self, store, latency=0.0):
        self.store = store
        self.latency = latency

    def refresh(self, token):
        family = self.store.families.get(token)
        if family is None or family in self.store.revoked:
            raise Rejected("unknown or revoked")
        if token in self.store.used:
            self.store.revoked.add(family)
            raise Rejected("used before: the family is revoked")
        time.sleep(self.latency)
        self.store.used.add(token)
        return self.store.issue(family)
