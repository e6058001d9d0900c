/**
 * Heartbeats from a thread with a connection of its own: they go on while the loop of the program is blocked. What was
 * answered can be read without that loop, so that a lock that was renewed meanwhile is not taken for lost.
 */
import { MessageChannel, Worker, receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { ClientClock } from "../../client-clock.ts";
import type { Beat, Beats, BeatThread, Remote } from "./heartbeats.ts";
import { threadsMs } from "./threads-clock.node.ts";

/** What the thread is told of an agent. Nothing else of the program reaches it. */
export interface BeatMember {
  readonly remote: Remote;
  readonly agent: string;
  readonly agentSecret?: string;
  readonly port: MessagePort;
}

/** To the thread: another pace, and every message is a sign that the loop of the program turns. */
export interface BeatOrder {
  /** null: nothing to renew. */
  readonly intervalMs?: number | null;
}

/** An agent that has nothing to renew stays for so long: starting a thread takes longer than most locks are held. */
const idleMs = 30_000;

/** A slower pace is told this late: locks that come and go would wake the thread with each of them. */
const slowerMs = 1_000;

/** The file beside this one, as source or as built. */
const workerUrl = new URL(`./heartbeat-worker.node${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

/** One thread for a whole program: it may have hundreds of agents, and a thread for each would cost more than their work. */
class SharedThread {
  #worker: Worker | undefined;
  /** Who beats there, by what is called if the thread breaks. */
  readonly #members = new Set<() => void>();

  /** Returns the way to leave. Without members the thread ends. */
  join(member: BeatMember, onBroken: () => void): () => void {
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
    // It does not keep a program running that has nothing else to do.
    worker.unref();
    return worker;
  }
}

const thread = new SharedThread();

export function startBeatThread(remote: Remote, clock: ClientClock): BeatThread {
  return (agent, events) => new ThreadBeats({ remote, ...agent }, events, clock);
}

class ThreadBeats implements Beats {
  readonly #who: Omit<BeatMember, "port">;
  readonly #events: Parameters<BeatThread>[1];
  readonly #clock: ClientClock;
  #leave: (() => void) | undefined;
  #port: MessagePort | undefined;
  #cancelIdle: () => void = () => undefined;
  #cancelSlower: () => void = () => undefined;
  /** What the thread was told last, and what it should know. */
  #toldMs = Infinity;
  #wantedMs = Infinity;
  #isSlowerDue = false;
  #taken: Beat[] = [];

  constructor(who: Omit<BeatMember, "port">, events: Parameters<BeatThread>[1], clock: ClientClock) {
    this.#who = who;
    this.#events = events;
    this.#clock = clock;
    this.#start();
  }

  pace(intervalMs: number | undefined): void {
    this.#cancelIdle();
    if (this.#port === undefined && intervalMs !== undefined) this.#start();
    this.#wantedMs = intervalMs ?? Infinity;
    // At once, since the loop may be blocked from now on.
    if (this.#wantedMs < this.#toldMs) this.#tellPace();
    else if (this.#wantedMs > this.#toldMs && !this.#isSlowerDue) {
      this.#isSlowerDue = true;
      this.#cancelSlower = this.#clock.after(slowerMs, () => this.#tellPace(), { keepAlive: false });
    }
    if (intervalMs === undefined) this.#cancelIdle = this.#clock.after(idleMs, () => this.stop(), { keepAlive: false });
  }

  take(): readonly Beat[] {
    const port = this.#port;
    // What has arrived and was not delivered yet, because the loop has not turned since.
    for (let next = port && receiveMessageOnPort(port); next !== undefined; next = port && receiveMessageOnPort(port)) {
      this.#add((next as { readonly message: Beat }).message);
    }
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  stop(): void {
    this.#cancelIdle();
    this.#forgetSlower();
    this.#toldMs = Infinity;
    this.#port?.close();
    this.#leave?.();
    this.#port = undefined;
    this.#leave = undefined;
  }

  #start(): void {
    const { port1, port2 } = new MessageChannel();
    this.#leave = thread.join({ ...this.#who, port: port2 }, () => {
      this.stop();
      this.#events.onBroken();
    });
    this.#port = port1;
    port1.on("message", (beat: Beat) => {
      this.#add(beat);
      this.#tell({});
      this.#events.onBeat();
    });
    port1.unref();
  }

  #tellPace(): void {
    this.#forgetSlower();
    if (this.#wantedMs === this.#toldMs) return;
    this.#toldMs = this.#wantedMs;
    this.#tell({ intervalMs: this.#toldMs === Infinity ? null : this.#toldMs });
  }

  #forgetSlower(): void {
    this.#cancelSlower();
    this.#isSlowerDue = false;
  }

  #tell(order: BeatOrder): void {
    this.#port?.postMessage(order);
  }

  /** Both threads read the same clock of the host; the program's own may start elsewhere. */
  #add(beat: Beat): void {
    const shiftMs = this.#clock.monotonicMs() - threadsMs();
    const shifted = (moment: Beat["sentAt"]) => ({ ...moment, monotonicMs: moment.monotonicMs + shiftMs });
    this.#taken.push({ ...beat, sentAt: shifted(beat.sentAt), answeredAt: shifted(beat.answeredAt) });
  }
}
