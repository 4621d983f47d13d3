"""Load: processes that do nothing but compute."""

from __future__ import annotations

from grader.shapes import busy as busy  # the trial's own: what a test loads a machine with is what a trial does
