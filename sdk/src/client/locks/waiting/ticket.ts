import type { Queued } from "../../operation-output.ts";
import type { HeldGrant, ClockPoint } from "../handle/held-grant.ts";
import type { LockedPath, QueuePlace } from "../handle/lock.ts";
import type { SentRequest } from "../session/cleanup-queue.ts";

/** A grant as its event reports it to a ticket. */
export interface PushedGrant {
  readonly ticket: string;
  readonly fence: string;
  readonly ownerId: string;
  readonly paths: readonly LockedPath[];
  readonly ttlMs: number;
  /** Time to accept it. Afterwards the next ticket gets the lock. */
  readonly acceptMs: number;
  /** By the server's clock. */
  readonly acquiredAt: string;
}

/** The end of a ticket: granted and held, granted and not yet accepted, or ended. */
export type TicketEnd =
  | { readonly kind: "held"; readonly grant: HeldGrant }
  | { readonly kind: "granted"; readonly fence: string }
  | { readonly kind: "gone"; readonly why: string };

export interface TicketOptions {
  /** The request of this waiter. */
  readonly request: SentRequest;
  readonly paths: readonly LockedPath[];
  /** Time before the ticket was requested. Its grant is later. */
  readonly askedAt: ClockPoint;
  readonly onPlace?: ((place: QueuePlace) => void) | undefined;
  /**
   * Holds the grant if that is possible without a call. The event itself calls it, so that the next event, which may
   * end the lock, finds it held.
   */
  readonly hold?: (pushed: PushedGrant) => HeldGrant | undefined;
}

/** A ticket as its waiters know it: usually one, or several tasks that share the lock. */
export class Ticket {
  readonly id: string;
  /** The requested paths. */
  readonly set: string;
  readonly ended: Promise<TicketEnd>;
  place: QueuePlace;
  /** Its grant, once it is held. */
  held: HeldGrant | undefined;
  #waiters: readonly TicketOptions[] = [];
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
    this.#waiters = [...this.#waiters, options];
  }

  /** Returns true if the last waiter left. */
  leave(options: TicketOptions): boolean {
    const before = this.#waiters.length;
    this.#waiters = this.#waiters.filter((waiter) => waiter !== options);
    return before > 0 && this.#waiters.length === 0;
  }

  get requests(): readonly SentRequest[] {
    return this.#waiters.map(({ request }) => request);
  }

  get isShared(): boolean {
    return this.#waiters.length > 1;
  }

  /** Whether a listener wants changes of the place. */
  get wantsPlace(): boolean {
    return this.#waiters.some(({ onPlace }) => onPlace !== undefined);
  }

  /** There is nothing left to cancel. */
  get isGone(): boolean {
    return this.#isGone;
  }

  end(end: TicketEnd): void {
    if (!this.#isEnded) this.#isGone = end.kind === "gone";
    this.#isEnded = true;
    this.#end(end);
  }

  /** The server reports the grant. */
  granted(pushed: PushedGrant): void {
    if (this.#isEnded) return;
    this.held = this.#waiters[0]?.hold?.(pushed);
    this.end(this.held === undefined ? { kind: "granted", fence: pushed.fence } : { kind: "held", grant: this.held });
  }

  moveTo(queued: Pick<Queued, "place" | "waitsFor" | "estimateMs">): void {
    const before = this.place.place;
    this.place = placeOf(queued);
    if (this.place.place === before) return;
    for (const { onPlace } of this.#waiters) onPlace?.(this.place);
  }
}

function placeOf({ place, waitsFor, estimateMs }: Pick<Queued, "place" | "waitsFor" | "estimateMs">): QueuePlace {
  return { place, waitsFor: waitsFor, estimateMs: estimateMs };
}

/** The default lease of a ticket, from the contract. */
export const ticketLeaseMs = 30_000;
/** Time to accept a granted ticket, from the contract. */
export const acceptMs = 10_000;
