import base64, hmac, json, os, time

handled = set()  # A table of your database also knows them after a restart.


def verify(secret, id, timestamp, signatures, body):
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    signed = f"{id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    genuine = any(hmac.compare_digest(each.encode(), expected) for each in signatures.split())
    return bool(key) and genuine and abs(time.time() - int(timestamp)) < 300


def receive(headers, body, handle):
    """Calls `handle` with a new event. Returns the status of the response."""
    id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not verify(os.environ["WEBHOOK_SECRET"], id, timestamp, signatures, body):
        return 401
    if id not in handled:
        handle(json.loads(body))
        handled.add(id)  # Not before: an event whose handling fails is sent again.
    return 204
