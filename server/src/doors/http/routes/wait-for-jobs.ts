/** Jobs that a worker takes over HTTP with `Prefer: wait=n`: the response is delayed until one starts for it. */
import type { CallReply } from "@holdfast/sdk";
import { pause } from "@holdfast/sdk/base/pause";
import { callOnce } from "../../../operations/call.ts";
import type { Calls } from "../../../operations/call.ts";
import { hasDisconnected, onDisconnect } from "../request/disconnect.ts";
import type { LongPoll } from "./wait-for-grant.ts";

/** Events after which a job may be startable that was not before. */
const names = [
  ...["submitted", "replaced", "readied", "released", "delayed", "changed", "attempt_failed", "lost"],
  ...["completed", "failed", "cancelled", "unlocked", "configured", "resumed", "rechecked"],
].map((name) => `evt.jobs.${name}`);

/** Minimum interval between two tries of one request, so that a busy queue is not asked at every event. */
const tryEveryMs = 500;

/** Interval between tries without an event. A caller without the right to read sees none. */
const tryAnywayMs = 5_000;

/**
 * Takes jobs until there is one, or the time is up. Each try is a command of its own, so a job is in exactly one response.
 * A client that disconnects gets no job: its worker would run none.
 */
export async function waitForJobs(poll: LongPoll): Promise<CallReply> {
  const { calls, record, input, options, seconds, response } = poll;
  // The watch starts before the first try: a job between the two must not be missed.
  const pages = calls.watch({ names });
  const stop = (): void => void pages.return?.();
  onDisconnect(response, stop);
  const unregister = poll.longResponses.add(stop);
  const cancelTimer = poll.clock.after(seconds * 1000, stop, { keepAlive: false });
  const { key: _key, ...unkeyed } = options;
  try {
    let reply = await callOnce(calls, { record, input, options });
    const changes = new QueueChanges(poll, pages);
    while (isEmpty(reply) && (await changes.next()) && !hasDisconnected(response))
      reply = await callOnce(calls, { record, input, options: unkeyed });
    return reply;
  } finally {
    cancelTimer();
    unregister();
    stop();
  }
}

function isEmpty({ outcome }: CallReply): boolean {
  if (outcome.kind === "refusal") return false;
  const { next = [] } = outcome.data as { readonly next?: readonly unknown[] };
  return next.length === 0;
}

/** The moments at which another try may succeed. */
class QueueChanges {
  readonly #clock: LongPoll["clock"];
  readonly #pages: ReturnType<Calls["watch"]>;
  #page: Promise<boolean> | undefined;
  #triedAtMs = -Infinity;

  constructor({ clock }: LongPoll, pages: ReturnType<Calls["watch"]>) {
    this.#clock = clock;
    this.#pages = pages;
  }

  /** False when the time is up or the client has gone. */
  async next(): Promise<boolean> {
    this.#page ??= this.#pages.next().then(({ done }) => done !== true);
    const isOpen = await Promise.race([this.#page, this.#pause(tryAnywayMs)]);
    if (isOpen === undefined) return true;
    this.#page = undefined;
    const waitMs = this.#triedAtMs + tryEveryMs - this.#clock.monotonicMs();
    if (isOpen && waitMs > 0) await this.#pause(waitMs);
    this.#triedAtMs = this.#clock.monotonicMs();
    return isOpen;
  }

  #pause(ms: number): Promise<undefined> {
    return pause(this.#clock, ms, { keepAlive: false }).then(() => undefined);
  }
}
