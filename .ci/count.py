"""Reads `go test -json` output, shows what failed, and prints "PASSED FAILED" of single tests, subtests included."""
import json
import sys

passed = failed = 0
output, broken = {}, []
for line in open(sys.argv[1]):
    try:
        e = json.loads(line)
    except ValueError:
        continue
    key = (e.get("Package", e.get("ImportPath")), e.get("Test"))
    if e["Action"] in ("output", "build-output"):
        output.setdefault(key, []).append(e.get("Output", ""))
    elif e["Action"] == "pass" and key[1]:
        passed += 1
        output.pop(key, None)
    elif e["Action"] in ("fail", "build-fail"):
        broken.append(key)
        failed += 1 if key[1] or e["Action"] == "build-fail" else 0
for key in broken:
    print(*key, "".join(output.get(key, [])[-60:]), file=sys.stderr)
print(passed, failed)
