"""A worker of jobs in Python, with only the standard library.

It takes jobs of the type `python.count`, sends heartbeats while it works, reports progress, and completes or fails each
job. It continues through a restart of the server. SIGTERM returns the running job to the queue. After `kill -9` of the
worker the server retries the job when its lease has ended.

    python3 examples/python/job_worker.py [http://127.0.0.1:4653]
"""

import http.client
import signal
import sys
import threading
import time

from holdfast_example import Holdfast, Refused

TYPE = "python.count"
BEAT_SECONDS = 8
WAIT_SECONDS = 5
RETRY_SECONDS = 1
RETRIES_MAX = 60

# The server is down, or the connection broke: the reply may be lost although the command was executed.
UNREACHABLE = (OSError, http.client.HTTPException)

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
            except (Refused, *UNREACHABLE) as error:
                print("heartbeat failed:", error, file=sys.stderr)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()


class Returned(Exception):
    """The worker stops, or the attempt ended before its payload was read. So the job goes back to the queue."""


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


def repeated(request):
    """Sends a request until the server answers, for a minute. Heartbeats keep a job alive whose end is not reported."""
    for _ in range(RETRIES_MAX):
        try:
            return request()[0]
        except UNREACHABLE as error:
            print("the server does not answer:", error, file=sys.stderr)
            time.sleep(RETRY_SECONDS)
    return request()[0]


def take(holdfast):
    """The next jobs. The server delays its answer until one starts: an idle worker sends one request in five seconds."""
    body = {"types": [TYPE], "count": 1}
    try:
        answer, _ = holdfast.call("POST", "/v1/workers/me/take", body, {"Prefer": f"wait={WAIT_SECONDS}"})
    except UNREACHABLE:
        # The lost reply may have had a job. The reply to an offer has all jobs that run for this worker.
        answer = repeated(lambda: holdfast.call("PUT", "/v1/workers/me", {"types": [TYPE], "slots": 0}))
    return answer.get("next", [])


def whole(holdfast, job):
    """The job with its payload. The server leaves payloads out of a reply that would have more than 1 MiB of them."""
    if not job.get("omitted"):
        return job
    read = repeated(lambda: holdfast.call("GET", f"/v1/jobs/{job['id']}"))
    # A job that ended is shown without its payload, and a later attempt may have another checkpoint.
    if read.get("claim") != job["claim"]:
        raise Returned
    return {**job, "payload": read.get("payload"), "checkpoint": read.get("checkpoint")}


def run(holdfast, job):
    """Runs one job. Each command carries its claim. A stale claim means: another worker may have the job, so stop."""
    path, claim = f"/v1/jobs/{job['id']}", {"claim": job["claim"]}

    def report(percent, message):
        try:
            answer, _ = holdfast.call("POST", f"{path}/progress", {**claim, "percent": percent, "message": message})
        except UNREACHABLE:
            return  # A lost report costs nothing. The heartbeats continue.
        if answer["cancel_requested"] is not None:
            raise RuntimeError(answer["cancel_requested"])

    def end(how, body):
        # The key makes a repeated end the same request.
        key = {"Idempotency-Key": f"{how} {job['claim']}"}
        answer = repeated(lambda: holdfast.call("POST", f"{path}/{how}", {**claim, **body}, key))
        print(f"{job['id']} {answer['state']}", flush=True)

    def attempt():
        try:
            end("complete", {"result": count(whole(holdfast, job), report)})
        except Returned:
            end("release", {})
        except Refused:
            raise
        except Exception as error:
            retries = not isinstance(error, ValueError)
            end("fail", {"error": {"code": type(error).__name__, "message": str(error)[:2000]}, "retry": retries})

    print(f"{job['id']} started, attempt {job['attempt']}", flush=True)
    try:
        attempt()
    except Refused as refused:
        if refused.code != "jobs.claim_stale":
            raise
        print(f"{job['id']} belongs to another attempt", flush=True)


def main(url):
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    holdfast = Holdfast(url)
    agent = holdfast.register("python-worker", f"runs {TYPE}")
    print("working", flush=True)
    with Heartbeats(holdfast):
        while not stopping.is_set():
            for job in take(holdfast):
                run(holdfast, job)
    holdfast.call("DELETE", f"/v1/agents/{agent}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4653")
