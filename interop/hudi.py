"""Runs scenario files of interop/hudi on every kind of table: statements by tarn and by real Hudi in turn, compared by both.

    hudi.py [--short] [--release R]… [--kind cow|mor]… [--plain | --parts] [NAME…]

A scenario is a SQL file of blocks, `-- tarn`, `-- hudi` or `-- check`. It runs for each Hudi release (0.12.2, 0.15.0, 1.0.2, 1.1.1:
table versions 5, 6, 8, 9), table type, and with and without a partition column. In a block

    {t}       is the table, of one name everywhere: Hudi 0.12 builds it into its schemas
    {path}    its folder
    {create}  what follows the columns of CREATE TABLE: USING hudi, partition, properties and location
    {parts}   is `, region` for partitioned tables, else nothing

Lines that end with `-- mor` are for MERGE_ON_READ tables alone, `-- from R` for releases from R on. A check reads the table with tarn and with
Hudi, its metadata table on and off, and compares rows and keys; keys must be unique. `-- hudi` blocks that CALL a procedure run it.
Lines `-- property KEY=VALUE` before the first block are properties of the table, for both.
The first line `-- short` puts a file into the short form, which runs one kind of table for each release.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ["ORACLE"]]
import spark_hudi  # noqa: E402
from scenario import blocks, statements, tarn  # noqa: E402

RELEASES = {"0.12.2": 5, "0.15.0": 6, "1.0.2": 8, "1.1.1": 9}
META = ("_hoodie_commit_time", "_hoodie_record_key", "_hoodie_partition_path")


class Table:
    """One table under test, and who looks at it."""

    names = 0  # of all tables: Spark's catalog keeps them

    def __init__(self, spark, release, kind, parts, given=()):
        self.spark, self.release, self.kind, self.parts = spark, release, kind, parts
        self.given = dict(given)
        self.folder = tempfile.mkdtemp(prefix="tarn-interop-")
        self.path = os.path.join(self.folder, "t")
        Table.names += 1
        self.name = f"h{Table.names}"

    def create(self):
        version = RELEASES[self.release]
        props = {"type": self.kind, "primaryKey": "id", "preCombineField": "ts", "hoodie.write.table.version": str(version)}
        if version == 5:
            del props["hoodie.write.table.version"]
        props.update(self.given)
        part = "PARTITIONED BY (region) " if self.parts else ""
        text = ", ".join(f"'{k}' = '{v}'" for k, v in props.items())
        return f"USING hudi {part}LOCATION '{self.path}' TBLPROPERTIES ({text})"

    def fill(self, body, who):
        create = self.create()
        if who == "tarn" and RELEASES[self.release] == 5:
            create = create.replace("TBLPROPERTIES (", "TBLPROPERTIES ('hoodie.write.table.version' = '5', ")
        lines = [re.sub(r" *-- (mor|from \S+)$", "", x.rstrip()) for x in body.split("\n") if self.wanted(x)]
        body = "\n".join(lines).replace("{create}", create).replace("{path}", self.path)
        body = body.replace("{parts}", ", region" if self.parts else "").replace("{t}", self.name)
        if (self.release, self.kind) == ("0.12.2", "mor"):  # it cannot read its own logs of decimals again (AvroTypeException)
            body = body.replace("DECIMAL(10,2)", "DOUBLE")
        if not os.path.isdir(os.path.join(self.path, ".hoodie")):
            return body
        given = ", ".join(f"'{k}' = '{v}'" for k, v in self.given.items())
        given = f" TBLPROPERTIES ({given})" if given and who == "hudi" else ""
        adopt = f"CREATE TABLE IF NOT EXISTS {self.name} USING hudi LOCATION '{self.path}'{given};\n"
        return adopt + (f"REFRESH TABLE {self.name};\n" if who == "hudi" else "") + body

    def wanted(self, line):
        if line.rstrip().endswith("-- mor") and self.kind != "mor":
            return False
        if "-- from " in line:
            return RELEASES[self.release] >= RELEASES[line.split("-- from ")[1].split()[0]]
        return True

    def run(self, who, body):
        sql = self.fill(body, who)
        if who == "tarn":
            tarn(sql)
            return
        for s in statements(sql):
            self.spark.sql(s).collect()

    def check(self):
        for s in statements(self.fill("", "hudi")):
            self.spark.sql(s).collect()
        sets = []
        for metadata in ("true", "false"):
            df = (self.spark.read.format("hudi").option("hoodie.metadata.enable", metadata).load(self.path))
            cols = list(META) + [c for c in df.columns if not c.startswith("_hoodie_")]
            df.createOrReplaceTempView("seen")
            fields = ", ".join(f"`{c}`" for c in cols)
            sets.append(sorted(r[0] for r in self.spark.sql(f"SELECT to_json(struct({fields}), map('ignoreNullFields', 'false')) FROM seen").collect()))
        assert sets[0] == sets[1], f"Hudi reads other rows with its metadata table: {diff(*sets)}"
        got = sorted(tarn(self.fill(f"SELECT {fields} FROM {{t}};", "tarn"), "jsonl").splitlines())
        assert got == sets[0], f"rows differ (tarn, Hudi): {diff(got, sets[0])}"
        keys = [(json.loads(r)["_hoodie_partition_path"], json.loads(r)["_hoodie_record_key"]) for r in got]
        assert len(keys) == len(set(keys)), "a key comes twice"
        report = subprocess.run([sys.executable, os.path.join(os.environ["ORACLE"], "check_table.py"), self.path, "--version", self.release],
                                capture_output=True, text=True) if os.environ.get("TARN_INTEROP_DEEP") else None
        assert report is None or report.returncode == 0, report.stderr
        return len(got)


def diff(a, b):
    a, b = set(a), set(b)
    return f"{len(a - b)} only in the first {sorted(a - b)[:2]}, {len(b - a)} only in the second {sorted(b - a)[:2]}"


def scenario(spark, release, kind, parts, file):
    t = Table(spark, release, kind, parts, re.findall(r"(?m)^-- property ([^=\s]+)=(\S+)$", open(file).read()))
    checks = 0
    try:
        for who, _, body in blocks(open(file).read(), ("tarn", "hudi", "check")):
            if who == "check":
                t.check()
                checks += 1
            else:
                t.run(who, body)
        return checks
    except Exception:
        keep = os.environ.get("TARN_INTEROP_KEEP")
        if keep:
            shutil.copytree(t.folder, os.path.join(keep, os.path.basename(t.folder)))
            print("     kept in", os.path.basename(t.folder), flush=True)
        raise
    finally:
        shutil.rmtree(t.folder, ignore_errors=True)


def brief(e):
    """The message of an exception; of Java's, the causes."""
    lines = str(e).split("\n")
    causes = [x for x in lines if x.startswith("Caused by")]
    return " | ".join(x[:500] for x in (lines[:2] + causes if causes else lines[:12]))


def one_release(release, kinds, parts, names, short):
    """All scenarios under one release, in this process. Gives (passed, failed, checks)."""
    conf = {"spark.sql.session.timeZone": "UTC"}
    spark = spark_hudi.session(release, conf=conf, memory="1500m")
    passed = failed = checks = 0
    files = sorted(glob.glob(os.path.join(HERE, "hudi", "*.sql")))
    for i, file in enumerate(files):
        name = os.path.basename(file)[:-4]
        if names and name not in names or short and not open(file).readline().startswith("-- short"):
            continue
        for kind in kinds:
            for p in parts:
                title = f"{release} {kind} {'partitioned' if p else 'plain'} {name}"
                try:
                    n = scenario(spark, release, kind, p, file)
                    passed, checks = passed + 1, checks + n
                    print(f"ok   {title} ({n} checks)", flush=True)
                except Exception as e:
                    failed += 1
                    print(f"FAIL {title}: {brief(e)}", flush=True)
    return passed, failed, checks


def main(args):
    short, child = "--short" in args, "--child" in args
    take = lambda flag: [args[i + 1] for i, a in enumerate(args) if a == flag]
    releases, kinds = take("--release") or list(RELEASES), take("--kind") or ["cow", "mor"]
    parts = [False] if "--plain" in args else [True] if "--parts" in args else [False, True]
    given = set(releases if take("--release") else []) | set(kinds if take("--kind") else [])
    names = [a for a in args if not a.startswith("--") and a not in given]
    if child:
        spark_hudi.reexec(releases[0])
        print("%d %d %d" % one_release(releases[0], kinds, parts, names, short), flush=True)
        return 0
    total = [0, 0, 0]
    for i, r in enumerate(releases):
        own = ["--child", "--release", r] + [x for k in kinds for x in ("--kind", k)]
        if short and not take("--kind"):  # every kind of table once, over the releases
            own = ["--child", "--release", r, "--kind", ("cow", "mor")[i % 2], ("--plain", "--parts")[i // 2 % 2]]
        own += [a for a in args if a in ("--short", "--plain", "--parts")] + names
        p = subprocess.Popen([sys.executable, os.path.abspath(__file__)] + own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        last = ""
        for line in p.stdout:
            if line.startswith("#"):  # a JVM's own warnings
                continue
            if last:
                print(last, flush=True)
            last = line.rstrip()
        counts = [int(x) for x in last.split()] if p.wait() == 0 and last and last.replace(" ", "").isdigit() else [0, 1, 0]
        if counts == [0, 1, 0]:
            print(f"FAIL {r}: {last or 'the session ended'}", flush=True)
        total = [a + b for a, b in zip(total, counts)]
    print(f"interop hudi: {total[0]} scenarios passed, {total[1]} failed, {total[2]} checks by tarn and Hudi")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
