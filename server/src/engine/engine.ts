/**
 * The engine: commands go in, outcomes come out once they are durable; reads see what is durable; subscribers follow.
 * It knows the machine and the journal port, and nothing of doors.
 */
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Head, Journal, SubjectQuery } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { JsonObject } from "../machine/json.ts";
import type { Machine } from "../machine/machine.ts";
import type { StateReader } from "../machine/state.ts";
import { engineLimits } from "./limits.ts";
import { Replica } from "./replica.ts";
import { unanswered } from "./reply.ts";
import type { Reply, Request } from "./reply.ts";
import { Signal } from "./signal.ts";
import { HistoryLostError, Subscription } from "./subscription.ts";
import { Writer } from "./writer.ts";

export interface EngineOptions {
  readonly journal: Journal;
  readonly createMachine: () => Machine;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  readonly report: (message: string, cause: unknown) => void;
}

export interface EngineHealth {
  readonly head: Head;
  readonly isWritable: boolean;
  /** Why not, if it is not writable. */
  readonly reason: string | undefined;
  readonly waitingCount: number;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #replica: Replica;
  readonly #writer: Writer;
  readonly #moved = new Signal();
  readonly #subscriptions = new Set<Subscription>();
  readonly #stopListening: () => void;
  /** Set while the state is being folded again; reads wait for it. */
  #loading: { readonly done: Promise<void>; readonly finish: () => void } | undefined;

  /** Folds the journal and starts. It fails if the journal holds what this build does not understand. */
  static async start(options: EngineOptions): Promise<Engine> {
    const replica = new Replica(options);
    const ignoreFolded = (): void => undefined;
    while ((await replica.follow(ignoreFolded)) === "diverged") replica.reset();
    return new Engine(options, replica);
  }

  private constructor(options: EngineOptions, replica: Replica) {
    this.#options = options;
    this.#replica = replica;
    this.#writer = new Writer({
      ...options,
      replica,
      on: {
        moved: () => {
          this.#moved.fire();
        },
        lost: () => {
          this.#lose();
        },
        loaded: () => {
          this.#loading?.finish();
          this.#loading = undefined;
        },
        report: options.report,
      },
    });
    this.#stopListening = options.journal.onWake(() => {
      this.#writer.followSoon();
    });
    this.#writer.wake();
  }

  /** Decides a command. The answer leaves when it, and all that it was decided on, is durable. */
  execute(request: Request): Promise<Reply> {
    const refused = this.#writer.refusalNow();
    if (refused !== undefined) {
      const { code, reason, retryAfterMs } = refused;
      const data: JsonObject = retryAfterMs === undefined ? { reason } : { reason, retry_after_ms: retryAfterMs };
      return Promise.resolve(unanswered(code, data, this.head.position));
    }
    const { operation, input, principal, agent, key } = request;
    const id = this.#options.ids.unique();
    return new Promise((reply) => {
      this.#writer.submit({
        command: {
          id,
          operation,
          principal,
          ...(agent === undefined ? {} : { agent }),
          ...(key === undefined ? {} : { key }),
          input,
        },
        caller: request.caller,
        bytes: request.bytes,
        deadlineMs: this.#options.clock.monotonicMs() + (request.deadlineMs ?? engineLimits.deadlineMs),
        reply,
        isTimer: false,
        isAttempted: false,
      });
    });
  }

  /** Looks at rows by key, as they are durable now. */
  async read<Result>(look: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    return look(this.#replica.machine.durable);
  }

  /** Looks at rows in order. It waits until no batch is in flight, since old values have no order to be found in. */
  async scan<Result>(look: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    while (this.#replica.machine.isUnsettled) await this.#writer.settled();
    return look(this.#replica.machine.durable);
  }

  get head(): Head {
    return this.#replica.head;
  }

  /** Entries about a subject, none beyond the head that reads see. */
  async entriesAbout(query: SubjectQuery): Promise<readonly Entry[]> {
    await this.#loading?.done;
    const before = Math.min(query.before ?? Infinity, this.head.position + 1);
    return this.entriesAt(await this.#options.journal.findSubject({ ...query, before }));
  }

  async entriesAt(positions: readonly number[]): Promise<readonly Entry[]> {
    const recent = positions.map((position) => this.#replica.recent.at(position));
    if (recent.every((entry) => entry !== undefined)) return recent;
    return this.#options.journal.readAt(positions);
  }

  /** Everything after a position, and then everything that comes. */
  subscribe(after: number): Subscription {
    const subscription = new Subscription(
      { replica: this.#replica, journal: this.#options.journal, moved: this.#moved },
      after,
      () => this.#subscriptions.delete(subscription),
    );
    this.#subscriptions.add(subscription);
    return subscription;
  }

  health(): EngineHealth {
    const refused = this.#writer.refusalNow();
    const reason = this.#writer.trouble?.reason ?? refused?.reason;
    return { head: this.head, isWritable: reason === undefined, reason, waitingCount: this.#writer.waitingCount };
  }

  /** Answers what waits, ends subscriptions and closes the journal. Nothing acknowledged is lost. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#writer.stop();
    this.#loading?.finish();
    for (const subscription of this.#subscriptions) subscription.end(undefined);
    await this.#options.journal.close();
  }

  #lose(): void {
    if (this.#loading === undefined) {
      const loaded = new Signal();
      this.#loading = {
        done: loaded.next(),
        finish: () => {
          loaded.fire();
        },
      };
    }
    const error = new HistoryLostError("the journal went back behind what was read; read the state again");
    for (const subscription of this.#subscriptions) subscription.end(error);
  }
}
