"""What users of evidence-gated state ran into elsewhere, each as a test against our own processes and database.

Sections are those of the list of such faults. A path without a folder is below `tests/users`; what another folder
proves already is named there and not repeated.

1. Commands that hang or leave processes
   - a grandchild holds the pipe          test_commands_that_stay.py::TestAGrandchildThatHoldsThePipe
   - the same after a normal exit         test_commands_that_stay.py::TestAGrandchildThatHoldsThePipe
   - a step that starts a server, twice   test_commands_that_stay.py::TestAServerThatACommandStarts
   - cancel while signals are ignored     test_commands_that_stay.py::TestACommandThatIgnoresSignals
   - killing the wrong process            test_commands_that_stay.py::TestAProcessIdThatIsStored
   - standard input left open             test_commands_that_stay.py::TestACommandThatReadsItsInput
   - the same without a database          tests/evidence/test_ending.py, tests/evidence/test_running.py
2. Output
   - a flood, and that it is no failure   test_output.py::TestAFlood
   - bytes that are not UTF-8             test_output.py::TestBytesThatAreNoText
3. Time limits
   - twenty commands that hang            test_time_limits.py::TestManyCommandsThatHang
   - a report where the worker is lost    tests/runs/test_sweep.py::TestLostWorker,
                                          tests/reliability/test_worker_death.py
4. Concurrent transitions
   - sixteen processes from one head      tests/reliability/test_contention.py::TestWritersFromOneHead
   - a ledger a writer                    tests/state/test_concurrent_transitions.py::TestLedgersOfManyFiles,
                                          tests/reliability/test_contention.py::TestWritersOfLedgers
   - no word of a lock to a caller        tests/reliability/test_contention.py::TestWritersWithoutFrom
5. Stale approvals
   - a transition after a certificate     test_stale_certificates.py::TestATransitionAfterACertificate
   - a failure that looks like success    test_stale_certificates.py::TestALabelThatNamesNothing
6. Vacuous verification
   - constant commands, or none           test_stale_certificates.py::TestAConstantCommand
7. Logs
   - six processes append large events    tests/reliability/test_contention.py::TestWritersOfLargeEvents
   - one that is too large                tests/mesh/test_topics.py::TestPublish
8. A crash between two writes
   - kill -9 at every step                tests/reliability/test_crash_at_every_step.py
9. Odd but cheap
   - the folder is deleted                tests/runs/test_verify.py::TestVerify

What users of role-play state ran into: `test_role_play.py` has a class for each fault, `test_role_play_habits.py` for
each habit. Files that importers refused: tests/sessions/importers. Long sessions: tests/bench/bench_session_rebuild.py.
"""
