"""Runs scenario files of interop/delta: statements by tarn and by Spark in turn on one table, compared by three readers.

A scenario is a SQL file of blocks. A block starts with `-- tarn` or `-- spark` (who runs it) or `-- check`; `{t}` is the
table's path. `-- short` in the first line puts the file into the short form. A check reads the table with tarn, Spark and
delta-rs and compares the rows, and the history of tarn with Spark's. `-- check nodeltars: REASON` leaves delta-rs out.
"""
import glob
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.environ["ORACLE"])
import check_table  # noqa: E402
import rows  # noqa: E402
import spark_delta  # noqa: E402
from scenario import blocks, statements, tarn  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def history(rows_):
    return [(int(r["version"]), r["operation"]) for r in sorted(rows_, key=lambda r: int(r["version"]))]


def check(spark, path, arg):
    t = f"delta.`{path}`"
    got = sorted(tarn(f"SELECT * FROM {t};", "jsonl").splitlines())
    cols = spark.table(t).columns
    fields = ", ".join(f"`{c}`" for c in cols)
    want = sorted(r[0] for r in spark.sql(f"SELECT to_json(struct({fields}), map('ignoreNullFields', 'false')) FROM {t}").collect())
    assert got == want, f"rows differ: tarn only {sorted(set(got) - set(want))[:3]}, Spark only {sorted(set(want) - set(got))[:3]}"
    if not arg.startswith("nodeltars"):
        s, d = rows.sort_rows(check_table.read_spark(spark, path)), rows.sort_rows(check_table.read_deltars(path))
        assert s == d, f"delta-rs reads other rows: {d[:3]} and not {s[:3]}"
    mine = history([json.loads(l) for l in tarn(f"DESCRIBE HISTORY {t};", "jsonl").splitlines()])
    theirs = history(r.asDict() for r in spark.sql(f"DESCRIBE HISTORY {t}").collect())
    assert mine == theirs, f"history differs: {mine} and {theirs}"
    return len(want)


def run(spark, file):
    folder = tempfile.mkdtemp(prefix="tarn-interop-")
    path, checks = os.path.join(folder, "t"), 0
    try:
        for kind, arg, body in blocks(open(file).read(), ("tarn", "spark", "check")):
            body = body.replace("{t}", f"delta.`{path}`")
            if kind == "tarn":
                tarn(body)
            elif kind == "spark":
                for s in statements(body):
                    spark.sql(s).collect()
            else:
                check(spark, path, arg)
                checks += 1
        return checks
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(args):
    short = "--short" in args
    names = [a for a in args if not a.startswith("--")]
    spark = spark_delta.session()
    passed = failed = checks = 0
    for file in sorted(glob.glob(os.path.join(HERE, "delta", "*.sql"))):
        name = os.path.basename(file)[:-4]
        if names and name not in names or short and not open(file).readline().startswith("-- short"):
            continue
        try:
            n = run(spark, file)
            passed, checks = passed + 1, checks + n
            print(f"ok   {name} ({n} checks)", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {name}: {e}", flush=True)
    print(f"interop delta: {passed} scenarios passed, {failed} failed, {checks} three-way checks")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
