import type { Queued } from "../../../contract/locks.ts";
import type { HeldGrant, Moment } from "../handle/held-grant.ts";
import type { LockedPath, Place } from "../handle/lock.ts";

/** A grant as the event tells it that gave it to a ticket. */
export interface PushedGrant {
  readonly ticket: string;
  readonly fence: string;
  readonly ownerId: string;
  readonly paths: readonly LockedPath[];
  readonly ttlMs: number;
  /** Time to accept it. After that the lock goes to the next waiter. */
  readonly acceptMs: number;
  /** By the server's clock. */
  readonly acquiredAt: string;
}

/** What became of a ticket: it was granted and is held, or is still to be taken up; or it is no more. */
export type TicketEnd =
  | { readonly kind: "held"; readonly grant: HeldGrant }
  | { readonly kind: "granted"; readonly fence: string }
  | { readonly kind: "gone"; readonly why: string };

export interface TicketOptions {
  readonly paths: readonly LockedPath[];
  /** Before the ticket was asked for: whatever it is granted is granted later. */
  readonly askedAt: Moment;
  readonly onPlace?: (place: Place) => void;
  /**
   * Holds what is granted, if that can be done without asking. It is called by the event itself, so that the next event,
   * which may take the lock away again, finds it held.
   */
  readonly hold?: (pushed: PushedGrant) => HeldGrant | undefined;
}

/** A place in the line, as those know it who wait: usually one; several, if they share what they lock. */
export class Ticket {
  readonly id: string;
  /** What it is for. */
  readonly set: string;
  readonly ended: Promise<TicketEnd>;
  place: Place;
  /** What it was granted, once it is held. */
  held: HeldGrant | undefined;
  #waiting: readonly TicketOptions[] = [];
  #isEnded = false;
  #isGone = false;
  #end!: (end: TicketEnd) => void;

  constructor(queued: Queued, set: string) {
    this.id = queued.ticket;
    this.set = set;
    this.place = placeOf(queued);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  join(options: TicketOptions): void {
    this.#waiting = [...this.#waiting, options];
  }

  /** True if it was the last one who waited. */
  part(options: TicketOptions): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((one) => one !== options);
    return before > 0 && this.#waiting.length === 0;
  }

  get isShared(): boolean {
    return this.#waiting.length > 1;
  }

  /** Whether anybody is to be told when the place is another. */
  get wantsPlace(): boolean {
    return this.#waiting.some(({ onPlace }) => onPlace !== undefined);
  }

  /** There is nothing to give up any more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  end(end: TicketEnd): void {
    if (!this.#isEnded) this.#isGone = end.kind === "gone";
    this.#isEnded = true;
    this.#end(end);
  }

  /** The server says that it was granted. */
  granted(pushed: PushedGrant): void {
    if (this.#isEnded) return;
    this.held = this.#waiting[0]?.hold?.(pushed);
    this.end(this.held === undefined ? { kind: "granted", fence: pushed.fence } : { kind: "held", grant: this.held });
  }

  moveTo(queued: Pick<Queued, "place" | "waits_for" | "estimate_ms">): void {
    const before = this.place.place;
    this.place = placeOf(queued);
    if (this.place.place === before) return;
    for (const { onPlace } of this.#waiting) onPlace?.(this.place);
  }
}

function placeOf({ place, waits_for, estimate_ms }: Pick<Queued, "place" | "waits_for" | "estimate_ms">): Place {
  return { place, waitsFor: waits_for, estimateMs: estimate_ms };
}

/** A ticket's lease if none is asked for, as the contract says. */
export const ticketLeaseMs = 30_000;
/** Time to accept a granted ticket, as the contract says. */
export const acceptMs = 10_000;
