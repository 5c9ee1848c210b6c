"""Print which methods exist in which revision of the protocol; loads names and spans, no types."""

from __future__ import annotations

from typedmcp_types.revisions import METHODS, REVISIONS


def main() -> None:
    """Print a table: a row for each method, a column for each revision."""
    revisions = [revision for revision, _ in REVISIONS]
    width = max(map(len, METHODS))
    print(f"{'':{width}}  {'  '.join(revisions)}")
    for method, (first, last) in METHODS.items():
        marks = ["x" if first <= revision <= (last or revisions[-1]) else "." for revision in revisions]
        print(f"{method:{width}}  {'  '.join(f'{mark:^10}' for mark in marks)}".rstrip())


if __name__ == "__main__":
    main()
