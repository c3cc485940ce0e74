"""How `manage.py check_state` proves negotiations."""

from __future__ import annotations

from fabric_app.mesh.checking import StateCheck
from negotiation_app.operations import check

NEGOTIATIONS = StateCheck("negotiation", check.negotiation_refs, check.check_negotiation, check.repair_negotiation)
