"""``python -m course``: the ``fourthreads`` command where it has not been installed yet."""

from __future__ import annotations

from course.cli import main

if __name__ == "__main__":
    main()
