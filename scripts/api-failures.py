"""What a report of schemathesis (NDJSON, one event a line) lists as failed: `api-failures.py REPORT`

Ends with 1 if there is anything, or if there is no report to read: a run that was ended early has no result of its own.
The last line may be cut off where the run was ended while it wrote. `--self-test` checks this file.
"""

import json
import sys
import tempfile
from pathlib import Path

BAD = ("failure", "error")


def is_bad(status):
    # An enum may come as its value or with its type's name before it.
    return str(status).lower().rsplit(".", 1)[-1] in BAD


def failures(path):
    """One line for each scenario that failed and each error; each once."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            for name, body in event.items() if isinstance(event, dict) else ():
                if not isinstance(body, dict):
                    continue
                where = body.get("label") or (body.get("recorder") or {}).get("label") or "?"
                if name in ("NonFatalError", "FatalError"):
                    found[f"{where}: {name}"] = None
                elif name == "ScenarioFinished" and is_bad(body.get("status")):
                    found[f"{where}: failed"] = None
    return list(found)


def run(path):
    try:
        found = failures(path)
    except OSError as error:
        print(f"api-tests: the report cannot be read: {error}")
        return 1
    for line in found:
        print(f"api-tests: {line}")
    return 1 if found else 0


def self_test():
    good = '{"ScenarioFinished":{"label":"GET /a","status":"success"}}\n'
    table = [
        ("", 0),
        (good, 0),
        (good + '{"ScenarioFinished":{"label":"GET /b","sta', 0),
        (good + '{"ScenarioFinished":{"recorder":{"label":"GET /b"},"status":"failure"}}\n' + good, 1),
        ('{"ScenarioFinished":{"status":"Status.FAILURE"}}\n', 1),
        ('{"NonFatalError":{"label":"GET /c"}}\n', 1),
    ]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        assert run(report) == 1, "no report"
        for text, wanted in table:
            report.write_text(text, encoding="utf-8")
            assert run(report) == wanted, text


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(run(sys.argv[1]))
