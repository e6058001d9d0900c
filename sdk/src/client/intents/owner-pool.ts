import type { CoreClient } from "../core-client.ts";
import type { ClientClock } from "../client-clock.ts";

/** Maximum time that an unused owner keeps its agent. */
const idleMs = 60_000;

/**
 * Owners of locks, each with its own agent. One client is one owner: a second execution of the same intent in the same
 * program must be a rival of the first one.
 */
export class OwnerPool {
  readonly #create: () => CoreClient;
  readonly #clock: ClientClock;
  readonly #idle: { readonly owner: CoreClient; readonly cancel: () => void }[] = [];

  /** The owner ids of the locks that this pool holds. */
  readonly held = new Set<string>();

  constructor(create: () => CoreClient, clock: ClientClock) {
    this.#create = create;
    this.#clock = clock;
  }

  async use<Result>(work: (owner: CoreClient) => Promise<Result>): Promise<Result> {
    const taken = this.#idle.pop();
    taken?.cancel();
    const owner = taken?.owner ?? this.#create();
    try {
      return await work(owner);
    } finally {
      this.#keep(owner);
    }
  }

  #keep(owner: CoreClient): void {
    const end = (): void => {
      const index = this.#idle.findIndex((each) => each.owner === owner);
      this.#idle.splice(index, 1);
      // The agent expires without heartbeats, so a failed farewell does no harm.
      owner.close().catch(() => undefined);
    };
    this.#idle.push({ owner, cancel: this.#clock.after(idleMs, end, { keepAlive: false }) });
  }
}
