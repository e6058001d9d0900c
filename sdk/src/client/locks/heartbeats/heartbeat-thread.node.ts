/**
 * Heartbeats from a thread with its own connection. They continue while the event loop of the program is blocked.
 * Replies can be read without that loop, so that a renewed lock is not reported as lost.
 */
import { MessageChannel, Worker, receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { ClientClock } from "../../client-clock.ts";
import type { HeartbeatResult, Heartbeats, HeartbeatThread, RemoteServer } from "./heartbeats.ts";
import { threadsClockMs } from "./threads-clock.node.ts";

/** The data of an agent that the thread receives. Nothing else of the program reaches it. */
export interface HeartbeatMember {
  readonly remote: RemoteServer;
  readonly agent: string;
  readonly agentSecret?: string | undefined;
  readonly port: MessagePort;
}

/** A message to the thread with a new interval. Every message also shows that the loop of the program runs. */
export interface HeartbeatOrder {
  /** null: nothing to renew. */
  readonly intervalMs?: number | null;
}

/** Time that an agent without locks stays. Starting a thread takes longer than most locks are held. */
const idleMs = 30_000;

/** Delay before a longer interval is sent to the thread. Without it every short lock would wake the thread. */
const slowerMs = 1_000;

/** The worker file next to this one, as source or as built. */
const workerUrl = new URL(`./heartbeat-worker.node${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

/**
 * One thread for the whole program, which may have hundreds of agents. A thread per agent would cost more than its
 * work.
 */
class SharedThread {
  #worker: Worker | undefined;
  /** The members, each with the callback for a failure of the thread. */
  readonly #members = new Set<() => void>();

  /** Returns the function to leave. Without members the thread ends. */
  join(member: HeartbeatMember, onBroken: () => void): () => void {
    this.#worker ??= this.#start();
    this.#members.add(onBroken);
    this.#worker.postMessage(member, [member.port]);
    return () => {
      this.#members.delete(onBroken);
      if (this.#members.size > 0) return;
      void this.#worker?.terminate();
      this.#worker = undefined;
    };
  }

  #start(): Worker {
    const worker = new Worker(workerUrl);
    worker.on("error", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const members = [...this.#members];
      this.#members.clear();
      for (const onBroken of members) onBroken();
    });
    // The thread does not keep an otherwise finished program running.
    worker.unref();
    return worker;
  }
}

const thread = new SharedThread();

export function startHeartbeatThread(remote: RemoteServer, clock: ClientClock): HeartbeatThread {
  return (agent, events) => new ThreadHeartbeats({ remote, ...agent }, events, clock);
}

class ThreadHeartbeats implements Heartbeats {
  readonly #member: Omit<HeartbeatMember, "port">;
  readonly #events: Parameters<HeartbeatThread>[1];
  readonly #clock: ClientClock;
  #leave: (() => void) | undefined;
  #port: MessagePort | undefined;
  #cancelIdle: () => void = () => undefined;
  #cancelSlower: () => void = () => undefined;
  /** The last state sent to the thread, and the state that it should have. */
  #sentMs = Infinity;
  #wantedMs = Infinity;
  #isSlowerDue = false;
  #results: HeartbeatResult[] = [];

  constructor(member: Omit<HeartbeatMember, "port">, events: Parameters<HeartbeatThread>[1], clock: ClientClock) {
    this.#member = member;
    this.#events = events;
    this.#clock = clock;
    this.#start();
  }

  pace(intervalMs: number | undefined): void {
    this.#cancelIdle();
    if (this.#port === undefined && intervalMs !== undefined) this.#start();
    this.#wantedMs = intervalMs ?? Infinity;
    // At once, since the loop may be blocked afterwards.
    if (this.#wantedMs < this.#sentMs) this.#postPace();
    else if (this.#wantedMs > this.#sentMs && !this.#isSlowerDue) {
      this.#isSlowerDue = true;
      this.#cancelSlower = this.#clock.after(slowerMs, () => this.#postPace(), { keepAlive: false });
    }
    if (intervalMs === undefined) this.#cancelIdle = this.#clock.after(idleMs, () => this.stop(), { keepAlive: false });
  }

  take(): readonly HeartbeatResult[] {
    const port = this.#port;
    // Messages that arrived and were not delivered yet, because the loop has not run since.
    for (let next = port && receiveMessageOnPort(port); next !== undefined; next = port && receiveMessageOnPort(port)) {
      this.#add((next as { readonly message: HeartbeatResult }).message);
    }
    const results = this.#results;
    this.#results = [];
    return results;
  }

  stop(): void {
    this.#cancelIdle();
    this.#cancelSlowerPace();
    this.#sentMs = Infinity;
    this.#port?.close();
    this.#leave?.();
    this.#port = undefined;
    this.#leave = undefined;
  }

  #start(): void {
    const { port1, port2 } = new MessageChannel();
    this.#leave = thread.join({ ...this.#member, port: port2 }, () => {
      this.stop();
      this.#events.onBroken();
    });
    this.#port = port1;
    port1.on("message", (beat: HeartbeatResult) => {
      this.#add(beat);
      this.#post({});
      this.#events.onBeat();
    });
    port1.unref();
  }

  #postPace(): void {
    this.#cancelSlowerPace();
    if (this.#wantedMs === this.#sentMs) return;
    this.#sentMs = this.#wantedMs;
    this.#post({ intervalMs: this.#sentMs === Infinity ? null : this.#sentMs });
  }

  #cancelSlowerPace(): void {
    this.#cancelSlower();
    this.#isSlowerDue = false;
  }

  #post(order: HeartbeatOrder): void {
    this.#port?.postMessage(order);
  }

  /** Both threads read the same clock of the host. The program's own clock may have another start. */
  #add(beat: HeartbeatResult): void {
    const shiftMs = this.#clock.monotonicMs() - threadsClockMs();
    const shifted = (moment: HeartbeatResult["sentAt"]) => ({ ...moment, monotonicMs: moment.monotonicMs + shiftMs });
    this.#results.push({ ...beat, sentAt: shifted(beat.sentAt), answeredAt: shifted(beat.answeredAt) });
  }
}
