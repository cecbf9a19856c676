"""Times tarn and its peers on the input of peers.py and prints ratios. Run by bench/run, which sets TARN and PEERS.

tarn is timed from outside, as whole processes, start-up included; a peer by its own clock around the task, start-up
excluded. Every system's table is checked: equal row count and checksum, or the run fails.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

TASKS = ("load", "merge", "scan")
COLUMNS = "id, k, q, price, amount, s, c, ts"
CHECK = "SELECT count(*) AS n, sum(id) AS ids, sum(CAST(round(price * 100) AS BIGINT)) AS cents, count(DISTINCT c) AS cities FROM {t}"
SCAN = "SELECT c, count(*) AS n, sum(amount) AS a, max(ts) AS m FROM {t} WHERE k < 500 GROUP BY c"
MERGE = """MERGE INTO {t} t USING parquet.`{d}/changes/part-00000.parquet` s ON t.id = s.id
  WHEN MATCHED AND s.op = 'D' THEN DELETE
  WHEN MATCHED AND s.op = 'U' THEN UPDATE SET price = s.price, ts = s.ts
  WHEN NOT MATCHED THEN INSERT ({c}) VALUES ({v})"""


class Tarn:
    """tarn on one kind of table: the format, and the table properties."""

    def __init__(self, d, name, fmt, **properties):
        self.d, self.name, self.path = d, name, f"{d}/t_{''.join(c if c.isalnum() else '_' for c in name).strip('_')}"
        self.t = f"{fmt}.`{self.path}`"
        self.properties = ", ".join(f"'{k}' = '{v}'" for k, v in properties.items())

    def sql(self, text):
        """Runs text; gives (stdout, wall seconds, cpu seconds, peak MiB)."""
        t0 = time.time()
        p = subprocess.Popen([os.environ["TARN"], "sql", "--warehouse", f"{self.d}/warehouse", "--output", "json", "-e", text],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = p.stdout.read(), p.stderr.read()
        _, status, use = os.wait4(p.pid, 0)
        if status != 0:
            sys.exit(f"tarn: {text}\n{err}")
        return out, time.time() - t0, use.ru_utime + use.ru_stime, use.ru_maxrss // 1024

    def text(self, task):
        if task == "load":
            return f"CREATE TABLE {self.t} TBLPROPERTIES ({self.properties}) AS SELECT * FROM parquet.`{self.d}/base`"
        if task == "merge":
            return MERGE.format(t=self.t, d=self.d, c=COLUMNS, v=", ".join("s." + c for c in COLUMNS.split(", ")))
        return SCAN.format(t=self.t)

    def warm_scan(self):
        """(wall, cpu) seconds of one scan in a session that has made one before: five scans less one, by four."""
        q = SCAN.format(t=self.t)
        one, five = self.sql(q), self.sql(";".join([q] * 5))
        return tuple((b - a) / 4 for a, b in zip(one[1:3], five[1:3]))

    def run(self, task):
        if task == "load":
            shutil.rmtree(self.path, ignore_errors=True)
        _, wall, cpu, rss = self.sql(self.text(task))
        row = json.loads(self.sql(CHECK.format(t=self.t))[0])[0]
        return {"wall_s": wall, "cpu_s": cpu, "rss_mib": rss, "check": [int(row[c]) for c in ("n", "ids", "cents", "cities")]}


def peer(d, name, task):
    python, env = sys.executable, dict(os.environ)
    if name.startswith("sparkhudi"):
        home = os.environ.get("TARN_ORACLE_HOME") or os.path.expanduser("~/.cache/tarn-oracle")
        python = f"{home}/venv-spark-3.5.5/bin/python"
        env.setdefault("PEER_JARS", f"{home}/jars/hudi-spark3.5-bundle_2.12-1.1.1.jar")
        env.update(PYSPARK_PYTHON=python, PYSPARK_DRIVER_PYTHON=python)
    p = subprocess.run([python, os.environ["PEERS"], "run", d, name, task], capture_output=True, text=True, env=env)
    if p.returncode != 0:
        sys.exit(f"{name} {task}: {p.stderr}")
    r = json.loads(p.stdout.splitlines()[-1])
    if task == "scan":
        r["wall_s"] = min(r["wall_s"], r["again_s"])
    return r


def systems_of(fmt, d, peers):
    """Name to system, tarn's own first."""
    if fmt == "hudi":
        own = [Tarn(d, f"tarn ({kind})", "hudi", type=kind, primaryKey="id", preCombineField="ts") for kind in ("cow", "mor")]
        peers = peers or "sparkhudi-cow,sparkhudi-mor"
    else:
        own = [Tarn(d, "tarn", "delta", **{"delta.enableDeletionVectors": "false"}),
               Tarn(d, "tarn (vectors)", "delta", **{"delta.enableDeletionVectors": "true"})]
        peers = peers or "duckdb,deltars"
    return {t.name: t for t in own} | {p: p for p in peers.split(",") if p != "none"}


def bare_scan(d):
    """DuckDB over the data files of tarn's freshly loaded Delta table: (wall, cpu) seconds of one warm scan of five."""
    import duckdb
    con = duckdb.connect()
    con.execute("SET threads=2; SET TimeZone='UTC'")
    q = SCAN.format(t=f"'{d}/t_tarn/*.parquet'")
    con.execute(q).fetchall()
    t0, c0 = time.time(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    for _ in range(4):
        con.execute(q).fetchall()
    return (time.time() - t0) / 4, (sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - c0) / 4


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=5_000_000)
    ap.add_argument("--dir", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out", "data"))
    ap.add_argument("--format", choices=["delta", "hudi"], default="delta")
    ap.add_argument("--peers", default="", help="names of peers.py, or none")
    ap.add_argument("--repeat", type=int, default=3)
    a = ap.parse_args()
    d = os.path.abspath(a.dir)
    if not os.path.exists(f"{d}/made-{a.rows}"):
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
        subprocess.run([sys.executable, os.environ["PEERS"], "gen", d, str(a.rows)], check=True)
        open(f"{d}/made-{a.rows}", "w").close()
    systems = systems_of(a.format, d, a.peers)
    first = next(iter(systems.values()))
    results = {(s, t): [] for s in systems for t in TASKS}
    warm, bare = [], []
    for _ in range(a.repeat):
        for task in TASKS:
            for name, s in systems.items():
                os.sync()  # no task waits for what another left to write
                results[name, task].append(s.run(task) if isinstance(s, Tarn) else peer(d, s, task))
                if task == "scan" and isinstance(s, Tarn):
                    results[name, task][-1]["warm_s"] = s.warm_scan()[0]
            if task == "load" and a.format == "delta":
                warm.append(first.warm_scan())
                bare.append(bare_scan(d))
    return report(results, systems, warm, bare, a)


def report(results, systems, warm, bare, a):
    failed = False
    med = lambda runs, key: statistics.median(r[key] for r in runs)
    own = [s for s in systems if isinstance(systems[s], Tarn)]
    print(f"{a.rows:,} rows, {os.cpu_count()} cores, median of {a.repeat}; ratio: system / tarn, of wall seconds\n")
    print(f"| task | system | wall s | cpu s | peak MiB |{''.join(f' / {s} |' for s in own)}\n|---|---|---|---|---|{'---|' * len(own)}")
    for task in TASKS:
        checks = {tuple(r["check"]) for s in systems for r in results[s, task]}
        if len(checks) != 1:
            failed = True
            print(f"| {task} | CHECKSUMS DIFFER {checks} | | | | | |")
        base = [med(results[s, task], "wall_s") for s in own]
        for s in systems:
            runs = results[s, task]
            wall = med(runs, "wall_s")
            print(f"| {task} | {s} | {wall:.2f} | {med(runs, 'cpu_s'):.2f} | {med(runs, 'rss_mib'):.0f} |{''.join(f' {wall / b:.2f} |' for b in base)}")
    for s in own:
        print(f"\nwarm scan after the merge, {s}: {med(results[s, 'scan'], 'warm_s'):.3f} s")
    if warm:
        pairs = [(w[i] / b[i]) for i in (0, 1) for w, b in zip(warm, bare)]
        print(f"\nwarm scan of the loaded table, tarn / DuckDB over its bare files: {statistics.median(pairs[:a.repeat]):.2f} of wall seconds "
              f"({statistics.median(w[0] for w in warm):.3f} s to {statistics.median(b[0] for b in bare):.3f} s), {statistics.median(pairs[a.repeat:]):.2f} of cpu seconds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
