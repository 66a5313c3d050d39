"""Tasks that wait for each other and share the cores of this machine."""
import os
import threading
import time
import traceback
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """What came of a task. Each failure is one line that begins with the name of what failed. `more` are tasks that are known
    only now, such as shards of tests that had to be compiled first."""
    passed: int = 0
    failures: list = field(default_factory=list)
    more: list = field(default_factory=list)


@dataclass
class Task:
    """`cores`: how many it keeps busy; what only waits has none. `after`: the names of tasks that have to pass first.
    A task that is `last` measures time: it starts when those that are not are over, and shares the cores with its like alone."""
    name: str
    run: object
    cores: float = 1
    after: tuple = ()
    last: bool = False


class Pipeline:
    """Runs tasks, as many at once as there are cores for, the first of the list first."""

    def __init__(self, tasks, cores=None, waiting=4):
        self._cores = cores or os.cpu_count() or 2
        self._waiting = waiting  # tasks at once that have no core
        self._tasks = list(tasks)
        self._running, self._outcomes = {}, {}
        self._changed = threading.Condition()
        self._began = time.monotonic()

    def run(self):
        """The outcome of each task, by its name, in the order of the list."""
        with self._changed:
            while len(self._outcomes) < len(self._tasks):
                started = [self._start(task) for task in self._tasks if self._is_next(task)]
                if not started:
                    self._changed.wait(30) or self._show_life()
        return {task.name: self._outcomes[task.name] for task in self._tasks}

    def _is_next(self, task):
        if task.name in self._running or task.name in self._outcomes:
            return False
        if any(name not in self._outcomes for name in task.after):
            return False
        if task.last and not all(other.last for other in self._tasks if other.name not in self._outcomes):
            return False
        if task.cores == 0:
            return sum(other.cores == 0 for other in self._running.values()) < self._waiting
        taken = sum(other.cores for other in self._running.values())
        return taken == 0 or taken + task.cores <= self._cores

    def _start(self, task):
        missing = [name for name in task.after if self._outcomes[name].failures]
        if missing:
            self._outcomes[task.name] = Outcome(0, [f"{task.name}: not run, since {missing[0]} failed"])
            self._say(f"{task.name}: not run, since {missing[0]} failed")
            return
        self._running[task.name] = task
        self._say(f"{task.name} …")
        threading.Thread(target=self._carry_out, args=(task,), daemon=True).start()

    def _carry_out(self, task):
        began = time.monotonic()
        try:
            outcome = task.run()
        except Exception:  # a fault of a script is a failure like another, and the other tasks go on
            outcome = Outcome(0, [f"{task.name}: {traceback.format_exc().strip().splitlines()[-1]}"])
            traceback.print_exc()
        with self._changed:
            del self._running[task.name]
            self._outcomes[task.name] = outcome
            self._tasks += outcome.more
            counts = f"{outcome.passed} passed" + (f", {len(outcome.failures)} FAILED" if outcome.failures else "")
            self._say(f"{task.name}: {counts} in {time.monotonic() - began:.0f} s")
            for failure in outcome.failures:
                self._say(f"  FAILED {failure}")
            self._changed.notify_all()

    def _say(self, words):
        seconds = int(time.monotonic() - self._began)
        print(f"[{seconds // 60:2}:{seconds % 60:02}] {words}", flush=True)

    def _show_life(self):
        self._say("… " + ", ".join(self._running))
