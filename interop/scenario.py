"""Scenario files: SQL in blocks that say who runs them.

A block starts with `-- NAME argument`, where NAME is one of those that the caller knows; its body are statements.
"""
import os
import re
import subprocess
import tempfile


def blocks(text, names):
    """[(name, argument, body)] of a scenario."""
    out = []
    for part in re.split(r"(?m)^-- (?=(?:%s)\b)" % "|".join(names), text)[1:]:
        head, _, body = part.partition("\n")
        name, _, arg = head.partition(" ")
        out.append((name, arg.strip(), body))
    return out


def tarn(sql, output="csv", settings=()):
    """What tarn prints for statements, in a session of its own."""
    conf = [x for k, v in settings for x in ("--conf", f"{k}={v}")]
    with tempfile.TemporaryDirectory() as warehouse:
        p = subprocess.run([os.environ["TARN"], "sql", "--warehouse", warehouse, "--output", output, *conf, "-f", "-"],
                           input=sql, capture_output=True, text=True, timeout=300)
    if p.returncode != 0:
        raise AssertionError(f"tarn failed:\n{sql}\n{p.stderr}")
    return p.stdout


def statements(body):
    return [s for s in re.split(r";[ \t]*\n", body + "\n") if re.sub(r"--[^\n]*", "", s).strip()]
