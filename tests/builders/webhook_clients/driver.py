"""Driver of the Python code of docs/clients.md: `driver.py MODULE`, a delivery on each line."""

import base64
import importlib
import sys

verify = importlib.import_module(sys.argv[1]).verify
for line in sys.stdin:
    secret, event_id, timestamp, signature, body = line.rstrip("\n").split("\t")
    named = {
        "Webhook-Id": event_id,
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": signature,
    }
    headers = {name: value for name, value in named.items() if value}
    try:
        event = verify(secret, headers, base64.b64decode(body))
    except Exception:  # noqa: BLE001 -- any refusal
        event = None
    sys.stdout.write("accepted\n" if event and event["id"] == event_id else "refused\n")
