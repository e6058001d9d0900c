import type { Queued } from "../../contract/locks.ts";
import type { Place } from "./lock.ts";

/** What became of a ticket: it was granted, or it is no more. */
export type TicketEnd =
  { readonly kind: "granted"; readonly fence: string } | { readonly kind: "gone"; readonly why: string };

/** A place in the line, as the one who waits knows it. */
export class Ticket {
  readonly id: string;
  readonly ended: Promise<TicketEnd>;
  readonly queuedAtMs: number;
  place: Place;
  readonly #onPlace: ((place: Place) => void) | undefined;
  #end!: (end: TicketEnd) => void;

  constructor(queued: Queued, queuedAtMs: number, onPlace?: (place: Place) => void) {
    this.id = queued.ticket;
    this.queuedAtMs = queuedAtMs;
    this.place = placeOf(queued);
    this.#onPlace = onPlace;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    onPlace?.(this.place);
  }

  /** Whether anybody is to be told when the place is another. */
  get wantsPlace(): boolean {
    return this.#onPlace !== undefined;
  }

  end(end: TicketEnd): void {
    this.#end(end);
  }

  moveTo(queued: Pick<Queued, "place" | "waits_for" | "estimate_ms">): void {
    const before = this.place.place;
    this.place = placeOf(queued);
    if (this.place.place !== before) this.#onPlace?.(this.place);
  }
}

function placeOf({ place, waits_for, estimate_ms }: Pick<Queued, "place" | "waits_for" | "estimate_ms">): Place {
  return { place, waitsFor: waits_for, estimateMs: estimate_ms };
}

/** A ticket's lease if none is asked for, as the contract says. */
export const ticketLeaseMs = 30_000;
/** What a ticket was granted is taken up within this time, or the next one gets it. */
export const claimMs = 10_000;
