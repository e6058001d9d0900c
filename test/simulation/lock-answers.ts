/** The valid answers about locks: each must match a state that some entry gave to the grant or ticket. */
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import { isoTime } from "./lock-view.ts";
import type { LockView } from "./lock-view.ts";
import type { Witness } from "./witness.ts";

export class LockAnswers {
  /**
   * Every end of a lease or ticket, and every queue position, by fence or ticket, including those of lost histories.
   */
  readonly #ends = new Map<string, Set<string>>();
  readonly #places = new Map<string, Set<number>>();
  /** The fences by the ticket that they were granted to. */
  readonly #fences = new Map<string, Set<string>>();

  /** Records the state after an entry, and checks the outcome of the entry against it. */
  note(view: LockView, entry: Entry, witness: Witness): void {
    const model = view.model();
    for (const grant of view.grants.values()) addTo(this.#ends, grant.fence, view.shownEnd(grant));
    for (const ticket of view.tickets.values()) {
      addTo(this.#ends, ticket.ticket, isoTime(ticket.leaseUntil));
      addTo(this.#places, ticket.ticket, model.positionOf(ticket));
    }
    for (const { data } of entry.events) {
      const { ticket, fence, previous_fence: previous } = data;
      if (typeof fence !== "string") continue;
      if (typeof ticket === "string") addTo(this.#fences, ticket, fence);
      // A grant that changes its mode still belongs to its ticket.
      for (const fences of this.#fences.values()) if (fences.has(previous as string)) fences.add(fence);
    }
    const { kind, data } = entry.outcome;
    if (kind === "done" && "granted" in data) this.#checkOutcome(view, entry, witness);
  }

  #checkOutcome(view: LockView, entry: Entry, witness: Witness): void {
    const { granted, fence, ticket, place, expires_at: end } = entry.outcome.data;
    const grant = view.grants.get(fence as string);
    const waiting = view.tickets.get(ticket as string);
    const isTrue =
      granted === true
        ? grant !== undefined && view.shownEnd(grant) === end
        : waiting !== undefined &&
          isoTime(waiting.leaseUntil) === end &&
          view.model().positionOf(waiting) === (place as number);
    witness.demand(isTrue, "an outcome reports the state after its entry", () => JSON.stringify(entry));
  }

  /** True if a late answer matches the state of its grant or ticket at some time. */
  isTrue(recorded: JsonObject, reported: Readonly<Record<string, Json>>): boolean {
    const { fence, ticket, expires_at: end, place } = reported;
    if (recorded["granted"] === true)
      return reported["granted"] === true && this.#wasHeld(recorded["fence"] as string, reported);
    if (recorded["ticket"] !== ticket) return false;
    if (reported["granted"] === true) {
      return (
        this.#fences.get(ticket as string)?.has(fence as string) === true && this.#wasHeld(fence as string, reported)
      );
    }
    // A ticket that has ended is reported as it was recorded.
    if (reported["still_waiting"] === false) return recorded["expires_at"] === end && recorded["place"] === place;
    const wasSo = this.#places.get(ticket as string)?.has(place as number);
    return wasSo === true && this.#ends.get(ticket as string)?.has(end as string) === true;
  }

  #wasHeld(fence: string, reported: Readonly<Record<string, Json>>): boolean {
    return reported["fence"] === fence && this.#ends.get(fence)?.has(reported["expires_at"] as string) === true;
  }
}

function addTo<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}
