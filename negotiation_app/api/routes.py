"""Every operation of the protocol under its address: one table, one view for each line.

Source: canonical negotiation state, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """One operation: its address below a negotiation, the member of the body that `<ref>` in it stands for."""

    path: str
    operation: str
    summary: str
    subject: str | None = None
    status: int = 201

    @property
    def name(self) -> str:
        return self.operation.replace("_", "-")


ROUTES = (
    Route("events/", "record_event", "Record a material event with its propositions, in ten steps"),
    Route("parties/", "add_party", "Add a party to the negotiation"),
    Route("issues/", "define_issue", "Define an issue"),
    Route("attributes/", "define_attribute", "Say whether an attribute may have several values"),
    Route("rates/", "declare_rate", "Declare an exchange rate with its basis"),
    Route(
        "contradictions/<str:subject>/resolution/",
        "resolve_contradiction",
        "Resolve an open contradiction with a reason and new evidence or the principal's decision",
        "contradiction",
    ),
    Route("patches/", "submit_patch", "Propose a patch against a version (specialists)"),
    Route(
        "patches/<str:subject>/preview/",
        "preview_patch",
        "See which operations of a patch would apply, and what moved in between",
        "patch",
        200,
    ),
    Route(
        "patches/<str:subject>/reconciliation/",
        "reconcile_patch",
        "Apply the operations of a patch that are still valid, and park the others",
        "patch",
    ),
    Route("patches/<str:subject>/rejection/", "reject_patch", "Reject a patch with a reason", "patch"),
    Route("proposals/", "record_proposal", "Record a proposal of either side"),
    Route(
        "proposals/<str:subject>/status/",
        "set_proposal_status",
        "Append a status to a proposal: withdrawn, rejected, expired, reconfirmed, recorded in error",
        "proposal",
    ),
    Route("concessions/", "record_concession", "Append a concession to the ledger"),
    Route(
        "concessions/<str:subject>/status/",
        "set_concession_status",
        "Append a status to a concession; the ledger row stays",
        "concession",
    ),
    Route("boundaries/", "set_boundary", "Set a target or floor with its basis"),
    Route("batna/", "set_batna", "Set the user's BATNA with its basis"),
    Route("boundary-retirements/", "retire_boundary", "Retire a target or floor with a basis; its history stays"),
    Route("batna-retirements/", "retire_batna", "Retire the user's BATNA with a basis; its history stays"),
    Route("criteria/", "set_criterion", "Set a pre-commitment criterion with the principal's approval"),
    Route(
        "criteria/<str:subject>/changes/",
        "change_criterion",
        "Append a revision to a criterion: previous and new value, new evidence, reason, approval",
        "criterion",
    ),
    Route("reviews/", "review_deal", "Review a proposal against criteria, floors and BATNA"),
    Route("overrides/", "override_review", "Record the principal's override beside a review, whose result stays"),
    Route("judgements/", "record_judgement", "Record a judgement with what it depends on"),
    Route("judgements/<str:subject>/review/", "review_judgement", "Reaffirm or retire a judgement", "judgement"),
    Route("simulations/", "record_simulation", "Record role-play or red-team statements, apart from the evidence"),
    Route("findings/", "reconcile_finding", "Reconcile a finding as ACCEPT, TEST, REJECT or DEFER"),
    Route("status/", "change_status", "Pause, resume, close, end without a deal, or reopen"),
    Route("deadline/", "set_deadline", "Set, move or clear the deadline with a reason"),
    Route("expectation/", "set_expectation", "Say with a reason whether the negotiation is expected to continue"),
    Route("mode/", "change_mode", "Raise or lower the mode"),
    Route("decisions/", "decide", "Write a decision that an operation can cite once (principal)"),
    Route("decisions/<str:subject>/revocation/", "revoke_decision", "Revoke a decision that was not used", "decision"),
    Route(
        "notifications/<str:subject>/acknowledgement/",
        "acknowledge_notification",
        "Acknowledge a notification (principal)",
        "notification",
    ),
    Route("snapshots/", "take_snapshot", "Write the state out as it is, in full or in brief"),
)
