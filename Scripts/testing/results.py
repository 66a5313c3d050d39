"""What a run came to, in its last lines."""
import json
import resource
import time

from . import commands


def report(outcomes, problems, began):
    """Prints it, and returns the exit status. A run that tried nothing has failed."""
    failures = problems + [failure for outcome in outcomes.values() for failure in outcome.failures]
    passed = sum(outcome.passed for outcome in outcomes.values())
    if passed == 0 and not failures:
        failures = ["no test was run"]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (used.ru_utime + used.ru_stime) / 60
    print("\n" + "=" * 80)
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"in {(time.monotonic() - began) / 60:.1f} minutes, and {processor:.1f} of processor time")
    print(f"{passed} passed, {len(failures)} failed")
    (commands.OUT / "summary.json").write_text(json.dumps({
        "passed": passed, "failures": failures, "minutes": round((time.monotonic() - began) / 60, 2),
        "processor_minutes": round(processor, 2)}, indent=1) + "\n")
    return 1 if failures else 0
