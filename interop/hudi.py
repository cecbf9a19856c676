"""Runs scenario files of interop/hudi on every kind of table: statements by tarn and by real Hudi in turn, compared by both.

    hudi.py [--short] [--release R]… [--kind cow|mor]… [--plain | --parts] [--table FILE] [NAME…]

A scenario is a SQL file of blocks. It runs for each Hudi release (0.12.2, 0.15.0, 1.0.2, 1.1.1: table versions 5, 6, 8, 9), table type,
and with and without a partition column. Blocks are

    -- tarn                    statements for tarn
    -- tarn stopped PATTERN    the same, by a process that ends right before it commits a file whose name matches
    -- hudi                    statements for Hudi, procedures among them
    -- hudi fails              the same, of which the last one must fail
    -- check                   tarn and Hudi, its metadata table on and off, must read the same rows and keys; keys must be unique; tarn doctor finds no damage
    -- same                    queries that tarn and Hudi, with data skipping, must answer alike
    -- wait SECONDS            nothing

In a block

    {t}       is the table, of one name everywhere: Hudi 0.12 builds it into its schemas
    {path}    its folder
    {create}  what follows the columns of CREATE TABLE: USING hudi, partition, properties and location
    {parts}   is `, region` for partitioned tables, else nothing
    {eu}      is the path of the partition eu
    {instant:N}  is the time of the Nth completed commit, the last if N is -1; {pending:ACTION} that of the pending action

Lines that end with `-- mor`, `-- cow`, `-- parts`, `-- plain`, `-- from R` or `-- to R`, or several of them, are for tables of that kind or releases alone; such a line before the
first block means the whole scenario. There may also be lines `-- property KEY=VALUE`, properties of the table for both, and `-- set KEY=VALUE`,
settings of the sessions of both; of tables with hoodie.table.cdc.enabled a check compares all change rows too. Hudi's INSERT is told to be an upsert, as tarn's is: from 0.14 on it keeps both rows of a key. The first line `-- short` puts a file into the short form, which runs one kind of table for each release.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ["ORACLE"]]
import spark_hudi  # noqa: E402
from scenario import blocks, statements, tarn  # noqa: E402

RELEASES = {"0.12.2": 5, "0.15.0": 6, "1.0.2": 8, "1.1.1": 9}
ONLY = re.compile(r"(?:(?:^| )-- (?:mor|cow|parts|plain|from \S+|to \S+))+$")
META = ("_hoodie_commit_time", "_hoodie_record_key", "_hoodie_partition_path")


class Table:
    """One table under test, and who looks at it."""

    names = 0  # of all tables: Spark's catalog keeps them

    def __init__(self, spark, release, kind, parts):
        self.spark, self.release, self.kind, self.parts = spark, release, kind, parts
        self.given, self.settings = {}, []
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
        body = "\n".join(ONLY.sub("", x.rstrip()) for x in body.split("\n") if self.wanted(x))
        body = body.replace("{create}", create).replace("{path}", self.path)
        body = body.replace("{parts}", ", region" if self.parts else "").replace("{t}", self.name).replace("{eu}", "region=eu")
        body = re.sub(r"\{instant:(-?\d+)\}", lambda m: self.instants(r"(?:delta)?commit|replacecommit")[int(m[1])], body)
        body = re.sub(r"\{pending:(\w+)\}", lambda m: self.pending(m[1]), body)
        if (self.release, self.kind) == ("0.12.2", "mor"):  # it cannot read its own logs of decimals again (AvroTypeException)
            body = body.replace("DECIMAL(10,2)", "DOUBLE")
        if not os.path.isdir(os.path.join(self.path, ".hoodie")):
            return body
        given = ", ".join(f"'{k}' = '{v}'" for k, v in self.given.items())
        given = f" TBLPROPERTIES ({given})" if given else ""
        adopt = f"CREATE TABLE IF NOT EXISTS {self.name} USING hudi LOCATION '{self.path}'{given};\n"
        return adopt + (f"REFRESH TABLE {self.name};\n" if who == "hudi" else "") + body

    def wanted(self, line):
        m = ONLY.search(line.rstrip())
        return not m or all(self.marked(x.split()) for x in m[0].split("-- ")[1:])

    def marked(self, mark):
        if mark[0] in ("from", "to"):
            mine, other = RELEASES[self.release], RELEASES[mark[1]]
            return mine >= other if mark[0] == "from" else mine <= other
        return mark[0] in (self.kind, "parts" if self.parts else "plain")

    def timeline(self):
        """The names of the active timeline's files, in order of time."""
        folder = os.path.join(self.path, ".hoodie", "timeline")
        folder = folder if os.path.isdir(folder) else os.path.dirname(folder)
        return sorted(x for x in os.listdir(folder) if re.match(r"\d{17}", x))

    def indexes(self):
        """The partitions of the metadata table that the table names."""
        file = os.path.join(self.path, ".hoodie", "hoodie.properties")
        text = open(file).read() if os.path.exists(file) else ""
        return {x for m in re.findall(r"(?m)^hoodie.table.metadata.partitions=(.*)$", text) for x in m.split(",") if x}

    def instants(self, actions):
        return [x[:17] for x in self.timeline() if re.fullmatch(r"\d{17}(_\d{17})?\.(%s)" % actions, x)]

    def pending(self, action):
        done = {x[:17] for x in self.timeline() if not x.endswith((".requested", ".inflight"))}
        return [x[:17] for x in self.timeline() if x.endswith(f".{action}.requested") and x[:17] not in done][0]

    def run(self, who, arg, body):
        if who == "wait":
            time.sleep(float(arg))
            return
        sql = self.fill(body, who)
        if who == "tarn" and not arg:
            before = self.indexes()
            tarn(sql, settings=self.settings)
            gone = before - self.indexes()
            if self.release == "1.0.2":  # of its forms of decimals and times tarn writes none, and partitions must have bounds of all files
                gone -= {"partition_stats"}
            assert not gone or re.search("rollback_to_savepoint|grade_table", sql), f"tarn took away {gone} of the metadata table"
        elif who == "tarn":
            sql = "".join(f"SET {k}={v};\n" for k, v in self.settings) + sql
            p = subprocess.run([os.environ["STOPPED"], arg.removeprefix("stopped ")], input=sql, capture_output=True, text=True, timeout=300)
            assert p.returncode == 0, f"tarn was not stopped: {p.stderr}"
        else:
            self.hudi(statements(sql), arg == "fails")

    def hudi(self, sql, fails):
        for i, s in enumerate(sql):
            try:
                rows = self.spark.sql(s).collect()
                no = [k for r in rows for k, v in r.asDict().items() if k.endswith("result") and v is False]
                assert not no, f"{s.strip()}: {no[0]} is false"
            except Exception:
                if fails and i == len(sql) - 1:
                    return
                raise
        assert not fails, "Hudi did not fail"

    def adopt(self):
        self.hudi(statements(self.fill("", "hudi")), False)

    def check(self):
        self.adopt()
        sets = []
        for metadata in ("true", "false"):
            df = (self.spark.read.format("hudi").option("hoodie.metadata.enable", metadata).load(self.path))
            cols = self.meta() + [c for c in df.columns if not c.startswith("_hoodie_")]
            df.createOrReplaceTempView("seen")
            fields = ", ".join(f"`{c}`" for c in cols)
            sets.append(sorted(r[0] for r in self.spark.sql(f"SELECT to_json(struct({fields}), map('ignoreNullFields', 'false')) FROM seen").collect()))
        assert sets[0] == sets[1], f"Hudi reads other rows with its metadata table: {diff(*sets)}"
        got = sorted(tarn(self.fill(f"SELECT {fields} FROM {{t}};", "tarn"), "jsonl", self.settings).splitlines())
        assert got == sets[0], f"rows differ (tarn, Hudi): {diff(got, sets[0])}"
        keys = [[json.loads(r)[c] for c in META[1:]] if self.meta() else json.loads(r)["id"] for r in got]
        keys = [str(k) for k in keys]
        assert len(keys) == len(set(keys)), "a key comes twice"
        doctor = subprocess.run([os.environ["TARN"], "doctor", self.path], capture_output=True, text=True, timeout=300)
        assert doctor.returncode == 0, f"tarn doctor: {doctor.stdout} {doctor.stderr}"
        if self.given.get("hoodie.table.cdc.enabled") == "true":
            self.check_changes()
        report = subprocess.run([sys.executable, os.path.join(os.environ["ORACLE"], "check_table.py"), self.path, "--version", self.release],
                                capture_output=True, text=True) if os.environ.get("TARN_INTEROP_DEEP") else None
        assert report is None or report.returncode == 0, report.stderr

    def same(self, body):
        """Queries that tarn and Hudi answer alike; Hudi skips files by the metadata table."""
        self.adopt()
        df = self.spark.read.format("hudi").option("hoodie.metadata.enable", "true").option("hoodie.enable.data.skipping", "true").load(self.path)
        df.createOrReplaceTempView("seen")
        for q in statements(self.fill(body.replace("{t}", "{seen}"), "")):
            if "{seen}" not in q:  # what fill puts before
                continue
            want = sorted(self.spark.sql(q.replace("{seen}", "seen")).toJSON().collect())
            sql = self.fill("", "tarn") + q.replace("{seen}", self.name) + ";\n"
            got = sorted(json.dumps({k: v for k, v in json.loads(r).items() if v is not None}, ensure_ascii=False, separators=(",", ":")) for r in tarn(sql, "jsonl", self.settings).splitlines())
            want = sorted(json.dumps(json.loads(r), ensure_ascii=False, separators=(",", ":")) for r in want)
            assert got == want, f"{q.strip()}: answers differ (tarn, Hudi): {diff(got, want)}"

    def meta(self):
        """The meta columns that the table has."""
        return [] if self.given.get("hoodie.populate.meta.fields") == "false" else list(META)

    def check_changes(self):
        query = f"SELECT op, ts_ms, before, after FROM hudi_table_changes('{self.name}', 'cdc', 'earliest')"
        hudi = sorted(change(r.asDict()) for r in self.spark.sql(query).collect())
        got = sorted(change(json.loads(r)) for r in tarn(self.fill(query + ";", "tarn"), "jsonl", self.settings).splitlines())
        assert got == hudi, f"changes differ (tarn, Hudi): {diff(got, hudi)}"


def change(row):
    """A change row without the meta columns and those of NULL, which Hudi gives for some changes; where it has the text null, there is no row."""
    def own(text):
        fields = json.loads(text or "null")
        return json.dumps(fields and {k: v for k, v in fields.items() if v is not None and not k.startswith("_hoodie_")}, sort_keys=True)
    return row["op"], row["ts_ms"], own(row["before"]), own(row["after"])


def diff(a, b):
    a, b = set(a), set(b)
    return f"{len(a - b)} only in the first {sorted(a - b)[:2]}, {len(b - a)} only in the second {sorted(b - a)[:2]}"


def scenario(spark, release, kind, parts, file):
    """The number of checks that were made, None if the scenario is not for this kind of table."""
    head = open(file).read().split("\n-- tarn\n")[0].split("\n-- hudi\n")[0].split("\n")
    pairs = lambda word: [tuple(x.split(f"-- {word} ")[1].split(" -- ")[0].split("=", 1)) for x in head if x.startswith(f"-- {word} ") and t.wanted(x)]
    t = Table(spark, release, kind, parts)
    if not all(t.wanted(x) for x in head if ONLY.fullmatch(x)):
        return None
    t.given, t.settings = dict(pairs("property")), pairs("set")
    checks = 0
    try:
        for k, v in [("hoodie.spark.sql.insert.into.operation", "upsert")] + t.settings:
            spark.conf.set(k, v)
        for who, arg, body in blocks(open(file).read(), ("tarn", "hudi", "check", "same", "wait")):
            arg_wanted = t.wanted("-- " + who + " " + arg)
            arg = ONLY.sub("", " " + arg).strip()
            if not arg_wanted:
                continue
            if who == "check":
                t.check()
                checks += 1
            elif who == "same":
                t.same(body)
                checks += 1
            else:
                t.run(who, arg, body)
        return checks
    except Exception:
        keep = os.environ.get("TARN_INTEROP_KEEP")
        if keep:
            shutil.copytree(t.folder, os.path.join(keep, os.path.basename(t.folder)))
            print("     kept in", os.path.basename(t.folder), "after", checks, "checks", flush=True)
        raise
    finally:
        for k, _ in spark.sql("SET").collect():
            if k.startswith("hoodie."):
                spark.conf.unset(k)
        shutil.rmtree(t.folder, ignore_errors=True)


def brief(e):
    """The message of an exception; of Java's, the causes."""
    lines = str(e).split("\n")
    causes = [x for x in lines if x.startswith("Caused by")]
    return " | ".join(x[:500] for x in (lines[:2] + causes if causes else lines[:12]))


def one_release(release, kinds, parts, names, short):
    """All scenarios under one release, in this process. Gives (passed, failed, checks)."""
    if not short:  # the code of many scenarios is too much for the small cache of a JVM with the first compiler alone
        os.environ.setdefault("TARN_ORACLE_TIER", "4")
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
                    if n is None:
                        continue
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
        counts = None
        for line in p.stdout:
            if re.fullmatch(r"\d+ \d+ \d+", line.rstrip()):
                counts = [int(x) for x in line.split()]
            elif not line.startswith("#"):  # a JVM's own warnings
                print(line.rstrip(), flush=True)
        if p.wait() or not counts:
            counts = [0, 1, 0]
            print(f"FAIL {r}: the session ended", flush=True)
        total = [a + b for a, b in zip(total, counts)]
    print(f"interop hudi: {total[0]} scenarios passed, {total[1]} failed, {total[2]} checks by tarn and Hudi")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
