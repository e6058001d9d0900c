import type { WatchedEvent } from "@holdfast/sdk";
import { eventText, convertEventPages } from "../event-pages.ts";
import type { SharedMessage } from "./outbox.ts";

/** A page of events as the message of a watch. Watches with the same page and the same id share the message. */
export function eventTextMessage(id: number, events: readonly WatchedEvent[]): SharedMessage {
  return pageOf(events).message(id);
}

const pageOf = convertEventPages((events) => new EventPage(events));

class EventPage {
  readonly #text: string;
  /** The most recent message. Clients number their watches from one, so most watches have the same id. */
  #last: EventsMessage | undefined;

  constructor(events: readonly WatchedEvent[]) {
    this.#text = `[${events.map(eventText).join(",")}]`;
  }

  message(id: number): EventsMessage {
    if (this.#last?.id !== id) this.#last = new EventsMessage(id, this.#text);
    return this.#last;
  }
}

class EventsMessage implements SharedMessage {
  readonly id: number;
  readonly #page: string;
  #frame: Buffer | undefined;

  constructor(id: number, page: string) {
    this.id = id;
    this.#page = page;
  }

  get text(): string {
    return `{"kind":"events","id":${this.id},"events":${this.#page}}`;
  }

  get frame(): Buffer {
    this.#frame ??= bytesOf(`[${this.text}]`);
    return this.#frame;
  }
}

/**
 * Allocates outside the shared pool of small buffers. The buffer lives as long as its page, and would keep the pool
 * alive.
 */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
