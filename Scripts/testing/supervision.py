"""Runs a shard of tests in a process of its own, and goes on after one that hangs or takes the process down."""
from dataclasses import dataclass

from .pipeline import Outcome


@dataclass
class Attempt:
    """What a process made of a shard: of each test that it finished, None or why it failed; the test that was under way when it
    ended too early; how it ended, in words, and whether that was as it should."""
    results: dict
    current: str | None
    reason: str
    ended_well: bool


def supervise(name, tests, attempt):
    """Runs all `tests`, whatever becomes of one of them. `attempt(tests)` runs a process, and returns an Attempt."""
    outcome, left = Outcome(), list(tests)
    while left:
        made = attempt(left)
        failures = {test: failure for test, failure in made.results.items() if failure is not None}
        outcome.passed += len(made.results) - len(failures)
        outcome.failures += [f"{test}: {failure}" for test, failure in failures.items()]
        left = [test for test in left if test not in made.results]
        if made.current in left:
            outcome.failures.append(f"{made.current}: {made.reason}")
            left.remove(made.current)
        elif left:
            # No test is to blame, and another attempt would end the same way.
            shown = ", ".join(left[:3]) + (", …" if len(left) > 3 else "")
            outcome.failures.append(f"{name}: {made.reason}; {len(left)} tests not run: {shown}")
            break
        elif not made.ended_well and not failures:
            outcome.failures.append(f"{name}: all its tests passed, but {made.reason}")
    return outcome
