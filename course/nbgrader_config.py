"""The only nbgrader configuration of the course. A class folder's own ``nbgrader_config.py`` loads this file.

nbgrader falls back to its stock behaviour (student code is executed, full marks) where a configuration raises; so every
entry point of ours sets ``TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR=1``, and ``check`` in a graded cell raises inside a
stock autograde.
"""

import grader.autograde  # noqa: F401 - a missing package must stop nbgrader here, before it touches a mark

# traitlets puts this name here; the one that can be imported belongs to the running application, which need not be it.
c = get_config()  # type: ignore[name-defined]  # noqa: F821

# The mark comes from evidence: nothing of a student's is executed (see grader/autograde.py).
c.Autograde.sanitize_preprocessors = ["grader.autograde.Seat", "nbgrader.preprocessors.CheckCellMetadata"]
c.Autograde.autograde_preprocessors = [
    "grader.autograde.Mark",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.pre_convert_hook = "grader.autograde.refuse_links"

# A solution cell is released as it stands: its blanks are the question. nbgrader would write "raise NotImplementedError()" over
# each that has no BEGIN SOLUTION (measured). A master never holds a solution; the lint sees to that.
c.ClearSolutions.enabled = False

# nbgrader's Validate runs the notebook inside the Jupyter server and freezes it (measured); ours is `check` in the notebook.
c.NbGraderAPI.timezone = "UTC"

# Feedback is our page: it runs no script, fetches nothing, and works offline (see grader/report.py).
c.GenerateFeedback.exporter_class = "grader.autograde.FeedbackPage"
c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades"]
