/** What answers about locks may say: what some entry made true of the grant or the ticket that they are about. */
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import { isoTime } from "./lock-view.ts";
import type { LockView } from "./lock-view.ts";
import type { Witness } from "./witness.ts";

export class LockAnswers {
  /** Every end that a lease or a ticket ever had, and every place, by fence or ticket; also those that were lost. */
  readonly #ends = new Map<string, Set<string>>();
  readonly #places = new Map<string, Set<number>>();
  /** The fences that tickets became. */
  readonly #fences = new Map<string, Set<string>>();

  /** Notes how things are after an entry, and holds its own outcome to that. */
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
      // A grant that changes its mode is still what its ticket became.
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
    witness.demand(isTrue, "an outcome tells how things are after its entry", () => JSON.stringify(entry));
  }

  /** Whether an answer that was given later than its entry tells what was true of its grant or ticket at some time. */
  isTrue(recorded: JsonObject, told: Readonly<Record<string, Json>>): boolean {
    const { fence, ticket, expires_at: end, place } = told;
    if (recorded["granted"] === true)
      return told["granted"] === true && this.#wasHeld(recorded["fence"] as string, told);
    if (recorded["ticket"] !== ticket) return false;
    if (told["granted"] === true) {
      return this.#fences.get(ticket as string)?.has(fence as string) === true && this.#wasHeld(fence as string, told);
    }
    // A ticket that is gone is told as it was recorded.
    if (told["still_waiting"] === false) return recorded["expires_at"] === end && recorded["place"] === place;
    const wasSo = this.#places.get(ticket as string)?.has(place as number);
    return wasSo === true && this.#ends.get(ticket as string)?.has(end as string) === true;
  }

  #wasHeld(fence: string, told: Readonly<Record<string, Json>>): boolean {
    return told["fence"] === fence && this.#ends.get(fence)?.has(told["expires_at"] as string) === true;
  }
}

function addTo<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}
