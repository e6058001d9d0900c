/** The requests that share each grant and each ticket, from outcomes and events alone, and the withdrawn requests. */
import { withdrawableOperations, withdrawal, withdrawalKey } from "@holdfast/sdk/contract";
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

type EventTexts = Readonly<Record<string, string | undefined>>;

/** A grant or a ticket that requests share. */
interface SharedItem {
  readonly owner: string;
  readonly requests: Set<string>;
}

export class RequestWatch {
  readonly seen: SeenRequest[] = [];
  /** The live grants and tickets by fence or ticket. */
  #items = new Map<string, SharedItem>();
  /** The ticket that waits to upgrade a grant, by fence. */
  readonly #upgrades = new Map<string, string>();
  #withdrawn = new Set<string>();

  /** Called for each entry, after its events were applied to the view. */
  append(entry: Entry, view: LockView, witness: Witness): void {
    const { operation, principal, key, outcome } = entry;
    const isWithdrawn = operation === withdrawal && outcome.kind === "done";
    const before = isWithdrawn ? this.#stateOf(ownerOf(entry), key) : undefined;
    for (const event of entry.events) this.#apply(event);
    if (withdrawableOperations.some((name) => name === operation)) {
      const isLate = this.#withdrawn.has(JSON.stringify([principal, requestOf(entry)]));
      witness.demand(key === undefined || !isLate, "a withdrawn request never happens", () => JSON.stringify(entry));
      if (outcome.kind === "done") this.#note(entry);
    }
    for (const id of this.#items.keys()) if (!view.grants.has(id) && !view.tickets.has(id)) this.#items.delete(id);
    if (!isWithdrawn) return;
    this.#withdrawn.add(JSON.stringify([principal, key]));
    this.#check(entry, before, witness);
  }

  goBack(): void {
    this.#items = new Map();
    this.#upgrades.clear();
    this.#withdrawn = new Set();
  }

  /** Whether a request of an owner has a grant or a ticket, and whether it has it alone. */
  #stateOf(owner: string, request = unnamed): "alone" | "shared" | undefined {
    const ids = [...this.#items.keys()].filter((id) => this.#has(id, owner, request));
    if (ids.length === 0) return undefined;
    return ids.some((id) => this.#items.get(id)?.requests.size === 1 && !this.#isUpgraded(id, request))
      ? "alone"
      : "shared";
  }

  #has(id: string, owner: string, request: string): boolean {
    const item = this.#items.get(id);
    return item?.owner === owner && item.requests.has(request);
  }

  /** Another request waits to upgrade the grant, so it shares the grant. */
  #isUpgraded(fence: string, request: string): boolean {
    const ticket = this.#upgrades.get(fence) ?? "";
    return this.#items.get(ticket)?.requests.has(request) === false;
  }

  #apply({ type, data }: Event): void {
    if (data["of"] !== undefined) return;
    const { fence, previous_fence: previous, ticket, upgrades, owner_id } = data as EventTexts;
    const owner = String(owner_id);
    if (type === "lock.queued" && upgrades !== undefined) this.#upgrades.set(upgrades, ticket ?? "");
    else if (type === "lock.acquired" && ticket !== undefined) this.#move(ticket, fence);
    else if (type === "lock.request_withdrawn") this.#leave(fence ?? ticket, data["request"] as string);
    else if (type === "lock.upgraded" || type === "lock.downgraded") {
      for (const request of this.#requestsOf(ticket)) this.#add(previous, owner, request);
      this.#move(previous, fence);
    } else if (changes.has(type)) this.#add(fence, owner, unnamed);
  }

  #requestsOf(id = ""): Iterable<string> {
    return this.#items.get(id)?.requests ?? [];
  }

  #leave(id: string | undefined, request: string): void {
    const { requests } = this.#items.get(id ?? "") ?? { requests: new Set() };
    requests.delete(request);
    if (requests.size > 0) return;
    for (const heir of this.#requestsOf(this.#upgrades.get(id ?? ""))) requests.add(heir);
  }

  #move(from: string | undefined, to: string | undefined): void {
    const item = this.#items.get(from ?? "");
    this.#items.delete(from ?? "");
    if (item !== undefined) this.#items.set(to ?? "", item);
  }

  #add(to: string | undefined, owner: string, request: string): void {
    const item = this.#items.get(to ?? "") ?? { owner, requests: new Set() };
    this.#items.set(to ?? "", item);
    item.requests.add(request);
  }

  #note(entry: Entry): void {
    const { granted, fence, ticket } = entry.outcome.data as Readonly<Record<string, unknown>>;
    const owner = ownerOf(entry);
    this.#add((granted === true ? fence : ticket) as string, owner, requestOf(entry));
    if (entry.key !== undefined) this.seen.push({ operation: entry.operation, key: entry.key, owner });
  }

  #check(entry: Entry, before: "alone" | "shared" | undefined, witness: Witness): void {
    const { found, released, cancelled } = entry.outcome.data as Readonly<Record<string, unknown>>;
    const detail = (): string => `${JSON.stringify(entry)}, which was ${before ?? "over"}`;
    if (found === "granted" || found === "queued") {
      const isFreed = cancelled !== undefined || ((released ?? []) as readonly string[]).length > 0;
      witness.demand(before !== undefined, "only a request that has something is found", detail);
      witness.demand(isFreed === (before === "alone"), "a withdrawal frees what no other request shares", detail);
    }
    const isKept = this.#stateOf(ownerOf(entry), entry.key) !== undefined;
    witness.demand(!isKept, "a withdrawn request keeps nothing", detail);
    const isOrphaned = [...this.#items.values()].some(({ requests }) => requests.size === 0);
    witness.demand(!isOrphaned, "a lock that no request shares is released", detail);
  }
}

function ownerOf({ input, agent = "" }: Entry): string {
  return (input as { readonly owner_id?: string }).owner_id ?? agent;
}

function requestOf({ operation, key }: Entry): string {
  return key === undefined ? unnamed : withdrawalKey({ operation, key });
}

/** A job that waits for its locks asks for them, in the entry that examined it. */
export function isOfBlockedJob({ events }: Entry, author: unknown): boolean {
  return events.some(
    ({ type, subject }) => type === "jobs.blocked" && author === `holdfast:job:${subject.slice("job/".length)}`,
  );
}
