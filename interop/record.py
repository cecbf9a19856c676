"""Puts what runs of hudi.py printed into docs/hudi.md, as the table between its marks.

    record.py OUTPUT…

Of several results of one scenario on one kind of table the last one counts.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(os.path.dirname(HERE), "docs", "hudi.md")
VERSIONS = {"0.12.2": 5, "0.15.0": 6, "1.0.2": 8, "1.1.1": 9}
KINDS = [(r, k) for r in VERSIONS for k in ("cow", "mor")]
LINE = re.compile(r"(ok  |FAIL) (\S+) (cow|mor) (plain|partitioned) (\w+)(?: \((\d+) checks\))?")


def results(files):
    """{(scenario, release, type): {plain or partitioned: checks, or None if it failed}}"""
    out = {}
    for name in files:
        for line in open(name):
            m = LINE.match(line)
            if m:
                out.setdefault((m[5], m[2], m[3]), {})[m[4]] = int(m[6]) if m[1] == "ok  " else None
    return out


def cell(found):
    """The checks of a scenario on plain and partitioned tables."""
    if not found:
        return ""
    return "failed" if None in found.values() else str(sum(found.values()))


def table(got):
    title = lambda name: open(os.path.join(HERE, "hudi", name + ".sql")).readline().strip().removeprefix("-- short: ").removeprefix("-- ")
    rows = ["| scenario | " + " | ".join(f"{VERSIONS[r]} {k.upper()}" for r, k in KINDS) + " |", "|---|" + "---|" * len(KINDS)]
    names = sorted({name for name, _, _ in got})
    for name in names:
        rows.append(f"| `{name}`: {title(name)} | " + " | ".join(cell(got.get((name, r, k))) for r, k in KINDS) + " |")
    of = lambda r, k: [n for name in names for n in got.get((name, r, k), {}).values()]
    rows.append("| scenarios run, passed, checks | " + " | ".join(
        f"{len(of(r, k))}, {sum(n is not None for n in of(r, k))}, {sum(n or 0 for n in of(r, k))}" for r, k in KINDS) + " |")
    return "\n".join(rows)


def main(files):
    text = open(DOCS).read()
    marks = re.compile(r"(?s)(<!-- interop -->\n).*?(<!-- end of interop -->)")
    text, n = marks.subn(lambda m: m[1] + table(results(files)) + "\n" + m[2], text)
    if n != 1:
        sys.exit("docs/hudi.md has no place for the table")
    with open(DOCS, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
