"""Holdfast from Python, with only the standard library.

The program registers an agent, acquires a lock (and waits if necessary), renews it, changes an entity without losing
the change of another writer, and releases the lock. Start a server with `npm start`, then:

    python3 examples/python/holdfast_example.py [http://127.0.0.1:4653]
"""

import json
import sys
import urllib.error
import urllib.request
import uuid

ATTEMPTS_MAX = 5
WAIT_SECONDS = 10


class Refused(Exception):
    """A problem document (RFC 9457). Compare `code`. `retry` is the retry rule."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']} {problem['next']}")
        self.code = problem["code"]
        self.retry = problem["retry"]
        self.problem = problem


class Holdfast:
    def __init__(self, url):
        self.url = url.rstrip("/")
        self.agent = {}

    def call(self, method, path, body=None, headers=None):
        """Sends a request. Returns the body and the headers of the answer, or raises Refused."""
        request = urllib.request.Request(self.url + path, method=method)
        for name, value in {**self.agent, **(headers or {})}.items():
            request.add_header(name, value)
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=WAIT_SECONDS + 20) as answer:
                return json.load(answer), answer.headers
        except urllib.error.HTTPError as error:
            if "json" not in error.headers.get("Content-Type", ""):
                raise
            raise Refused(json.load(error)) from None

    def register(self, name, purpose):
        agent, _ = self.call("POST", "/v1/agents/register", {"name": name, "purpose": purpose})
        self.agent = {"X-Agent-Id": agent["agent_id"], "X-Agent-Secret": agent["secret"]}
        return agent["agent_id"]

    def acquire(self, path, ttl_seconds=30):
        """Acquires a lock. If another owner has it, the request is queued, and the server answers at the grant."""
        prefer = {"Prefer": f"wait={WAIT_SECONDS}"}
        body = {"paths": [path], "ttl_seconds": ttl_seconds, "wait": True, "purpose": "an example"}
        answer, _ = self.call("POST", "/v1/locks/acquire", body, prefer)
        while not answer["granted"]:
            # `accept` renews the ticket of the waiter. Once the lock is granted, it accepts the grant.
            ticket = answer["ticket"]
            self.call("GET", f"/v1/tickets/{ticket}", headers=prefer)
            answer, _ = self.call("POST", "/v1/locks/accept", {"ticket": ticket})
        return answer["fence"]

    def change(self, entity, edit, fence, between=lambda: None):
        """Reads, edits, and writes if no other writer was faster. Otherwise it reads the newer version and retries."""
        retrying = {}
        for _ in range(ATTEMPTS_MAX):
            current, headers = self.call("GET", f"/v1/entities/{entity}", headers=retrying)
            between()
            # A retry with the same key returns the same answer, and nothing runs twice.
            conditions = {"If-Match": headers["ETag"], "Idempotency-Key": str(uuid.uuid4())}
            try:
                body = {"value": edit(current["value"]), "fence": fence}
                written, _ = self.call("PUT", f"/v1/entities/{entity}", body, conditions)
                return written
            except Refused as refused:
                if refused.code != "concurrency_mismatch":
                    raise
                changes = refused.problem["changes"] or []
                print("conflict:", ", ".join(f"{c['pointer']} is {c['after']!r}" for c in changes))
                retrying = {"Holdfast-Retry": "conflict"}
        raise RuntimeError(f"{entity} changed {ATTEMPTS_MAX} times in a row while it was being edited")


def main(url):
    holdfast = Holdfast(url)
    print("registered:", holdfast.register("python-example", "an example"))

    name = f"example-{uuid.uuid4()}"
    entity = f"note/{name}"
    holdfast.call("PUT", f"/v1/entities/{entity}", {"value": {"lines": ["first"]}}, {"If-None-Match": "*"})

    fence = holdfast.acquire(f"note/{name}")
    print("locked, fence:", fence)
    renewed, _ = holdfast.call("POST", "/v1/locks/renew", {"fence": fence, "ttl_seconds": 60})
    print("renewed until:", renewed["expires_at"])

    # Another writer, without a lock, writes once in between. So the first attempt is a conflict.
    other = Holdfast(url)
    patches = [{"by": "another writer"}]

    def meanwhile():
        if patches:
            _, headers = other.call("GET", f"/v1/entities/{entity}")
            other.call("PATCH", f"/v1/entities/{entity}", patches.pop(), {"If-Match": headers["ETag"]})

    def add_line(value):
        return {**value, "lines": [*value["lines"], "second"]}

    written = holdfast.change(entity, add_line, fence, between=meanwhile)
    print("written:", json.dumps(written["value"], sort_keys=True), "version", written["version"])

    released, _ = holdfast.call("POST", "/v1/locks/release", {"fence": fence})
    print("released:", ", ".join(released["released"]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4653")
