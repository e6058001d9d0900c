/** The requests that share each grant and each ticket, from outcomes and events alone, and the withdrawn requests. */
import { isWithdrawable, withdrawal, withdrawalKey } from "@holdfast/sdk/contract";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import { changes } from "./lock-view.ts";
import type { LockView } from "./lock-view.ts";
import type { Witness } from "./witness.ts";

/** A request without a key. */
const unnamed = "";

/** A keyed request of an owner, for callers that withdraw it. */
export interface SeenRequest {
  readonly operation: string;
  readonly key: string;
  readonly owner: string;
}

export class RequestWatch {
  readonly seen: SeenRequest[] = [];
  /** By fence or ticket. */
  #requests = new Map<string, Set<string>>();
  #withdrawn = new Set<string>();

  /** Called for each entry, after its events were applied to the view. */
  append(entry: Entry, view: LockView, witness: Witness): void {
    const shared = this.#sharedBefore(entry);
    for (const event of entry.events) this.#apply(event);
    const { operation, principal, key, outcome } = entry;
    if (isWithdrawable(operation)) {
      const isLate = this.#withdrawn.has(JSON.stringify([principal, requestOf(entry)]));
      witness.demand(key === undefined || !isLate, "a withdrawn request never happens", () => JSON.stringify(entry));
      if (outcome.kind === "done") this.#note(entry);
    } else if (operation === withdrawal && outcome.kind === "done") {
      this.#withdrawn.add(JSON.stringify([principal, key]));
      this.#check(entry, shared, view, witness);
    }
  }

  goBack(): void {
    this.#requests = new Map();
    this.#withdrawn = new Set();
  }

  /** The requests that share what a withdrawal is about. */
  #sharedBefore({ operation, key = unnamed }: Entry): ReadonlySet<string> {
    if (operation !== withdrawal) return new Set();
    return new Set([...this.#requests.values()].find((requests) => requests.has(key)));
  }

  #apply({ type, data }: Event): void {
    if (data["of"] !== undefined) return;
    const { fence, previous_fence: previous, ticket } = data as Readonly<Record<string, string | undefined>>;
    if (type === "lock.acquired" && ticket !== undefined) this.#move(ticket, fence);
    if (!changes.has(type)) return;
    if (type === "lock.upgraded" || type === "lock.downgraded") {
      for (const request of this.#requests.get(ticket ?? "") ?? []) this.#add(previous, request);
      this.#move(previous, fence);
    } else {
      // The new owner has a grant that it did not request, and that a withdrawal therefore never frees.
      this.#requests.delete(previous ?? "");
      this.#add(fence, unnamed);
    }
  }

  #move(from: string | undefined, to: string | undefined): void {
    const requests = this.#requests.get(from ?? "");
    this.#requests.delete(from ?? "");
    if (requests !== undefined) this.#requests.set(to ?? "", requests);
  }

  #add(to: string | undefined, request: string): void {
    this.#requests.set(to ?? "", (this.#requests.get(to ?? "") ?? new Set()).add(request));
  }

  #note(entry: Entry): void {
    const { granted, fence, ticket } = entry.outcome.data as Readonly<Record<string, unknown>>;
    const request = requestOf(entry);
    this.#add((granted === true ? fence : ticket) as string, request);
    const { owner_id: owner = entry.agent ?? "" } = entry.input as { readonly owner_id?: string };
    if (entry.key !== undefined) this.seen.push({ operation: entry.operation, key: entry.key, owner });
  }

  #check(entry: Entry, shared: ReadonlySet<string>, view: LockView, witness: Witness): void {
    const { key = unnamed } = entry;
    const { found, released, cancelled } = entry.outcome.data as Readonly<Record<string, unknown>>;
    const detail = (): string => `${JSON.stringify(entry)} of ${JSON.stringify([...shared])}`;
    if (found === "granted" || found === "queued") {
      const isFreed = cancelled !== undefined || ((released ?? []) as readonly string[]).length > 0;
      witness.demand(shared.has(key), "only a request that has something is found", detail);
      witness.demand(isFreed === (shared.size === 1), "a withdrawal frees what no other request shares", detail);
    }
    for (const requests of this.#requests.values()) requests.delete(key);
    const isHeld = [...view.grants.keys(), ...view.tickets.keys()].some(
      (id) => this.#requests.get(id)?.size === 0 && (found === "granted" || found === "queued"),
    );
    witness.demand(!isHeld, "a withdrawn request keeps nothing", detail);
  }
}

function requestOf({ operation, key }: Entry): string {
  return key === undefined ? unnamed : withdrawalKey({ operation, key });
}
