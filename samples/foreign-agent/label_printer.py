"""An agent in another language. It uses only the step documents, through the REST API of Cosmos DB.

This agent may run a step if the step's `actor` is `labels`, its `processState` is `Processing`, it has no
outcome, and its deadline is in the future. The agent writes the outcome into the same document, if the
document still has the etag that was read. If another writer has changed the step meanwhile, the store refuses
the outcome, and the agent gives up silently. docs/schema/sas.step.json explains the fields. For a step with
an `undo`, an agent must record the input of the undo together with the success.
"""
import base64, hashlib, hmac, json, os, time
import urllib.error, urllib.parse, urllib.request
from datetime import datetime, timezone
from email.utils import formatdate

ENDPOINT = os.environ["COSMOS_ENDPOINT"].rstrip("/")
KEY = base64.b64decode(os.environ["COSMOS_KEY"])
CONTAINER, NAME = "dbs/stepward/colls/state", f"python-{os.getpid()}"
OPEN = """SELECT * FROM c WHERE c.type = 'sas.step' AND c.actor = 'labels' AND c.direction = 'do' AND c.schema = 1
          AND c.processState = 'Processing' AND IS_NULL(c.outcome) AND c.completeByMs > @now"""


def request(method, link, path, body, headers):
    date = formatdate(usegmt=True)
    text = f"{method.lower()}\ndocs\n{link}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(KEY, text.encode(), hashlib.sha256).digest()).decode()
    token = urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe="")
    known = {"authorization": token, "x-ms-date": date, "x-ms-version": "2018-12-31"}
    call = urllib.request.Request(f"{ENDPOINT}/{path}", json.dumps(body).encode(), {**known, **headers}, method=method)
    with urllib.request.urlopen(call, timeout=5) as answer:
        return json.load(answer)


def open_steps():
    query = {"query": OPEN, "parameters": [{"name": "@now", "value": time.time() * 1000}]}
    headers = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "true",
               "x-ms-documentdb-query-enablecrosspartition": "true"}
    return request("POST", CONTAINER, f"{CONTAINER}/docs", query, headers)["Documents"]


def print_label(step):
    """Writes the label. The file has the idempotency key as its name, so repeated attempts give one label."""
    label = step["input"]["text"].upper()
    name = urllib.parse.quote(step["idempotencyKey"], safe="")
    with open(os.path.join(os.environ["LABELS_DIRECTORY"], name), "w") as file:
        file.write(label)
    print(f"printed {label}", flush=True)
    return {"label": label}


def record(step, kind, changes):
    now = time.time()
    if now * 1000 >= step["completeByMs"]:
        return  # It is too late, even to report a failure.
    outcome = {"kind": kind, "attempt": step["attempt"], "at": instant(now), "by": NAME}
    link = f"{CONTAINER}/docs/{step['id']}"
    headers = {"content-type": "application/json", "if-match": step["_etag"],
               "x-ms-documentdb-partitionkey": json.dumps([step["pk"]])}
    try:
        request("PUT", link, urllib.parse.quote(link), {**step, **changes, "outcome": outcome}, headers)
    except urllib.error.HTTPError as error:
        if error.code != 412:  # 412: another writer changed the step after this agent read it.
            raise


def instant(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run(step):
    try:
        done = {"currentState": step["targetState"], "processState": "Processed", "output": print_label(step)}
        record(step, "success", {**done, "lockedBy": None, "completeBy": None, "completeByMs": None})
    except OSError as error:  # The supervisor retries after the new deadline, at most 1 s from now.
        diagnostic = {"at": instant(time.time()), "by": NAME, "attempt": step["attempt"], "message": str(error)[:2000]}
        retry_at = min(time.time() + 1, step["completeByMs"] / 1000)
        record(step, "failed", {"diagnostics": [*step["diagnostics"], diagnostic][-10:],
                                "completeBy": instant(retry_at), "completeByMs": round(retry_at * 1000)})


while True:
    try:
        for step in open_steps():
            run(step)
    except OSError as error:  # Open steps stay open until the store answers again.
        print(f"the store does not answer: {error}", flush=True)
    time.sleep(0.2)
