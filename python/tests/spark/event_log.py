"""Reads a Spark event log: lost executors, retried stages, shuffled bytes. Must not know the cluster or the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class EventLog:
    """The events of one job, as far as they were written. The log may be that of a running job."""

    def __init__(self, path: Path) -> None:
        self.events = list(read(path))

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["Event"] == f"SparkListener{kind}"]

    def lost_executors(self) -> list[str]:
        """The executors that went away before the job's end, each with Spark's reason."""
        ended = next((event["Timestamp"] for event in self.of_kind("ApplicationEnd")), float("inf"))
        removed = [event for event in self.of_kind("ExecutorRemoved") if event["Timestamp"] < ended]
        return [f"{event['Executor ID']}: {event['Removed Reason']}" for event in removed]

    def submitted_stages(self) -> list[tuple[int, int]]:
        """Stage and attempt; the first attempt is 0."""
        infos = [event["Stage Info"] for event in self.of_kind("StageSubmitted")]
        return [(info["Stage ID"], info["Stage Attempt ID"]) for info in infos]

    def retried_stages(self) -> list[tuple[int, int]]:
        return [(stage, attempt) for stage, attempt in self.submitted_stages() if attempt > 0]

    def failed_tasks(self) -> list[str]:
        """Why tasks failed, such as `FetchFailed` and `ExecutorLostFailure`."""
        reasons = [event["Task End Reason"]["Reason"] for event in self.of_kind("TaskEnd")]
        return [reason for reason in reasons if reason != "Success"]

    def shuffled(self) -> tuple[int, int]:
        """The bytes and rows that tasks wrote for the shuffle."""
        found = [event.get("Task Metrics") for event in self.of_kind("TaskEnd")]
        written = [metrics["Shuffle Write Metrics"] for metrics in found if metrics]
        return (
            sum(write["Shuffle Bytes Written"] for write in written),
            sum(write["Shuffle Records Written"] for write in written),
        )

    def peak_memory(self) -> int:
        """The most execution memory of a task, in bytes: Spark's own sort, not the engine."""
        found = [event.get("Task Metrics") for event in self.of_kind("TaskEnd")]
        return max((metrics["Peak Execution Memory"] for metrics in found if metrics), default=0)

    def spilled(self) -> int:
        """The bytes that Spark's sort wrote to disk."""
        found = [event.get("Task Metrics") for event in self.of_kind("TaskEnd")]
        return sum(metrics["Disk Bytes Spilled"] for metrics in found if metrics)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The events, but for a last line that is not written to its end yet."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            if line:
                yield json.loads(line)
        except json.JSONDecodeError:
            if number < len(lines):
                raise
