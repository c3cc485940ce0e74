"""What a negotiation consists of: frozen rows, each under a key in the table of its kind.

A row is never edited; a newer one takes its place in the current state, and the log keeps both. Protected history
(boundaries, BATNAs, criteria, concessions) carries its earlier entries in the row itself. Times are texts as they were
stated or recorded. Source: canonical negotiation state, section 3.
"""

from __future__ import annotations

from negotiation_app.protocol.rows_base import Basis, Row, StatusEntry
from negotiation_app.protocol.rows_of_evidence import Contradiction, Evidence, Proposition
from negotiation_app.protocol.rows_of_frame import Attribute, Frame, Issue, Party, RateRow
from negotiation_app.protocol.rows_of_positions import (
    Batna,
    BatnaEntry,
    Boundary,
    BoundaryEntry,
    Concession,
    Criterion,
    Offer,
    Override,
    Proposal,
    Review,
    Revision,
)
from negotiation_app.protocol.rows_of_work import (
    Decision,
    Finding,
    HistoryEvent,
    Judgement,
    Notification,
    PatchRow,
    Simulation,
)

ROWS: tuple[type[Row], ...] = (
    Frame,
    Party,
    Issue,
    Attribute,
    RateRow,
    Evidence,
    Proposition,
    Contradiction,
    Proposal,
    Offer,
    Boundary,
    Batna,
    Criterion,
    Concession,
    Review,
    Override,
    Judgement,
    PatchRow,
    Simulation,
    Finding,
    Decision,
    Notification,
    HistoryEvent,
)
# What rows are made of beside plain values.
PARTS: tuple[type, ...] = (Basis, StatusEntry, BoundaryEntry, BatnaEntry, Revision)
