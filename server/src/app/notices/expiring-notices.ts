import type { Notice } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import { LeaseWatch } from "./lease-watch.ts";
import type { NoticeOutlet, NoticeSource } from "./notice-source.ts";

/** Leases that are about to expire. Each listening owner has a watch of its own. */
export class ExpiringNotices implements NoticeSource {
  readonly word = "expiring";
  /** Events after which a lease may be the next to expire. */
  readonly events = ["lock.acquired", "lock.upgraded", "lock.downgraded", "lock.transferred", "lock.refreshed"];
  readonly #parts: { readonly engine: Engine; readonly clock: Clock };
  readonly #outlet: NoticeOutlet;
  readonly #watches = new Map<string, LeaseWatch>();

  constructor(parts: { readonly engine: Engine; readonly clock: Clock }, outlet: NoticeOutlet) {
    this.#parts = parts;
    this.#outlet = outlet;
  }

  begin(state: StateReader, owner: string): readonly Notice[] {
    const known = this.#watches.get(owner);
    const watch = known ?? new LeaseWatch({ ...this.#parts, owner, notify: this.#outlet.notify });
    if (known === undefined) this.#watches.set(owner, watch);
    return watch.check(state);
  }

  take(state: StateReader, { events }: Entry): readonly Notice[] {
    for (const { type, data } of events) {
      if (!this.events.includes(type)) continue;
      this.#watches.get(data["owner_id"] as string)?.consider(state, data["fence"] as string);
    }
    return [];
  }

  forget(owner: string): void {
    this.#watches.get(owner)?.stop();
    this.#watches.delete(owner);
  }
}
