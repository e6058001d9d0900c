"""A worker of jobs in Python, with only the standard library.

It takes jobs of the type `python.count`, sends heartbeats while it works, reports progress, and completes or fails each
job. SIGTERM returns the running job to the queue. After `kill -9` the server retries the job when its lease has ended.

    python3 examples/python/job_worker.py [http://127.0.0.1:4653]
"""

import signal
import sys
import threading

from holdfast_example import Holdfast, Refused

TYPE = "python.count"
BEAT_SECONDS = 8
WAIT_SECONDS = 5

stopping = threading.Event()


class Heartbeats:
    """Renews the offer and the leases of the worker, on a thread of its own."""

    def __init__(self, holdfast):
        self.holdfast, self.ended = holdfast, threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)

    def beat(self):
        while not self.ended.wait(BEAT_SECONDS):
            try:
                self.holdfast.call("POST", "/v1/agents/heartbeat", {})
            except (Refused, OSError) as error:
                print("heartbeat failed:", error, file=sys.stderr)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()


class Returned(Exception):
    """The worker stops, so the job goes back to the queue."""


def count(job, report):
    """The work: counts to the number in the payload."""
    end = job["payload"]["to"]
    if end < 0:
        raise ValueError("cannot count to a negative number")
    for number in range(1, end + 1):
        if stopping.wait(job["payload"].get("pause", 0)):
            raise Returned
        report(100 * number / end, f"{number} of {end}")
    return {"counted": end}


def run(holdfast, job):
    """Runs one job. Each command carries its claim. A stale claim means: another worker may have the job, so stop."""
    path, claim = f"/v1/jobs/{job['id']}", {"claim": job["claim"]}

    def report(percent, message):
        answer, _ = holdfast.call("POST", f"{path}/progress", {**claim, "percent": percent, "message": message})
        if answer["cancel_requested"] is not None:
            raise RuntimeError(answer["cancel_requested"])

    def end(how, body):
        # The key makes a repeated end the same request.
        answer, _ = holdfast.call("POST", f"{path}/{how}", {**claim, **body}, {"Idempotency-Key": f"{how} {job['claim']}"})
        print(f"{job['id']} {answer['state']}", flush=True)

    print(f"{job['id']} started, attempt {job['attempt']}", flush=True)
    try:
        end("complete", {"result": count(job, report)})
    except Returned:
        end("release", {})
    except Refused as refused:
        if refused.code != "jobs.claim_stale":
            raise
        print(f"{job['id']} belongs to another attempt", flush=True)
    except Exception as error:
        retries = not isinstance(error, ValueError)
        end("fail", {"error": {"code": type(error).__name__, "message": str(error)[:2000]}, "retry": retries})


def main(url):
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    holdfast = Holdfast(url)
    agent = holdfast.register("python-worker", f"runs {TYPE}")
    print("working", flush=True)
    with Heartbeats(holdfast):
        # The server delays its answer until a job starts, so an idle worker sends one request in five seconds.
        wait = {"Prefer": f"wait={WAIT_SECONDS}"}
        while not stopping.is_set():
            answer, _ = holdfast.call("POST", "/v1/workers/me/take", {"types": [TYPE], "count": 1}, wait)
            for job in answer.get("next", []):
                run(holdfast, job)
    holdfast.call("DELETE", f"/v1/agents/{agent}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4653")
