"""A worker of a pipeline in Python, with only the standard library.

It takes an intent through three steps. Kill it at any time and start it again: it continues with the step that it was
killed in. The result of a step and the start of the next one are one request, under the fence of the lock.

    python3 examples/python/pipeline.py [http://127.0.0.1:4653] [ID]
"""

import sys
import threading
import uuid

from holdfast_example import Holdfast, Refused

LEASE_SECONDS = 15
RENEW_SECONDS = 5


def accept(payload, key):
    return {"to": "normalized"}


def price(payload, key):
    return {"to": "processed", "changes": {"price": 7 * payload["chairs"]}}


def send(payload, key):
    # The other system gets `key`, which is the same in each try. So it can recognize a repeat.
    print("sending under the key", key)
    return {"to": "completed", "changes": {"sent": True}}


BRIDGES = {"input": accept, "price": price, "output": send}


class Lease:
    """Renews the lock of a run while a step works. `is_lost` means: stop, the run belongs to another worker."""

    def __init__(self, holdfast, fence):
        self.holdfast, self.fence = holdfast, fence
        self.ended, self.is_lost = threading.Event(), False
        self.thread = threading.Thread(target=self.renew, daemon=True)

    def renew(self):
        while not self.ended.wait(RENEW_SECONDS):
            try:
                self.holdfast.call("POST", "/v1/locks/renew", {"fence": self.fence, "ttl_seconds": LEASE_SECONDS})
            except Refused:
                self.is_lost = True
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def step_key(intent_id, run, step):
    """The same over tries and takeovers: made of the intent, the start of the run and the step."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{intent_id} {run['number']} {run['started_at']} {step}"))


def advance(holdfast, intent, fence, bridge):
    """Runs the current step and sends its result. Returns the intent after it."""
    run, step = intent["run"], intent["run"]["current"]
    body = {"fence": fence, "run": run["number"], "step": step, "expected_version": intent["version"]}
    try:
        body |= {"outcome": "done", **bridge(intent["payload"], step_key(intent["id"], run, step))}
    except Exception as error:
        body |= {"outcome": "failed", "error": {"code": type(error).__name__, "message": str(error)[:2000]}}
    # If the answer is lost, the same request with the same key gets the same answer.
    key = {"Idempotency-Key": f"advance {fence} {step} {run['steps'][step]['tries']}"}
    answer, _ = holdfast.call("POST", f"/v1/intents/{intent['id']}/advance", body, key)
    return answer


def execute(holdfast, intent_id):
    fence = holdfast.acquire(f"intent/{intent_id}", LEASE_SECONDS)
    plan = {"fence": fence, "pipeline": "python-orders", "bridges": [{"name": name} for name in BRIDGES]}
    try:
        with Lease(holdfast, fence) as lease:
            intent, _ = holdfast.call("POST", f"/v1/intents/{intent_id}/run", plan)
            print(f"run {intent['run']['number']}, takeovers {intent['run']['takeovers']}")
            while intent["run"]["state"] == "running" and not lease.is_lost:
                step = intent["run"]["current"]
                intent = advance(holdfast, intent, fence, BRIDGES[step])
                print(f"{step}: the intent is {intent['status']}")
            return intent
    finally:
        holdfast.call("POST", "/v1/locks/release", {"fence": fence})


def main(url, intent_id):
    holdfast = Holdfast(url)
    holdfast.register("python-worker", "runs orders")
    try:
        holdfast.call("POST", "/v1/intents", {"id": intent_id, "payload": {"chairs": 2}})
    except Refused as refused:
        if refused.code != "entity_exists":
            raise
    intent = execute(holdfast, intent_id)
    print(f"{intent_id} is {intent['status']}, price {intent['payload'].get('price')}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(
        arguments[0] if arguments else "http://127.0.0.1:4653",
        arguments[1] if len(arguments) > 1 else f"order-{uuid.uuid4()}",
    )
