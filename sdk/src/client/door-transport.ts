import type { Canonical } from "../json/canonical.ts";
import type { CallOptions, CallReply, Transport } from "./transport.ts";

/**
 * The transport of a server's door. A door parses the text of an input once, so the code behind it neither checks nor
 * copies the input again. A program's own values need a `Transport`.
 */
export interface DoorTransport extends Omit<Transport, "call"> {
  readonly call: (operation: string, input: Canonical, options: DoorCallOptions) => Promise<CallReply>;
}

export interface DoorCallOptions extends CallOptions {
  /** Approximate bytes of the input as text. They count against the limits of the queue and of a batch. */
  readonly inputBytes: number;
  /**
   * Refuses a change of an entity that expects neither a version nor a revision. The refusal is never recorded, so this
   * is not part of the entry.
   */
  readonly mustExpect?: boolean;
}
