"""What a stage of tests/run gives: numbers, failures, and how they are printed."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SHOWN_FAILURES = 40


@dataclass
class Result:
    stage: str
    passed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)   # one text a failed test
    table: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def check(self, name: str, fine: bool, text: str = ""):
        """Counts one check of the stage."""
        if fine:
            self.passed += 1
        else:
            self.failures.append(f"{name}: {text.strip()}" if text.strip() else name)

    def print(self):
        for failure in self.failures[:SHOWN_FAILURES]:
            print(f"  FAILED {failure}")
        if len(self.failures) > SHOWN_FAILURES:
            print(f"  ... and {len(self.failures) - SHOWN_FAILURES} more")
        for line in self.table:
            print(line)
        print(f"{'ok' if not self.failures else 'FAILED':6} {self.stage:18} {self.passed:5} passed {len(self.failures):4} failed "
              f"{self.skipped:4} skipped {self.seconds:6.0f} s", flush=True)
