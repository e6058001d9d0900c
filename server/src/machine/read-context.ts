import type { StateReader } from "./state.ts";

/** The context of a read. A read is pure: it gets the time and its caller from here. */
export interface ReadContext {
  /** Valid until the read returns or first waits. Later access throws. */
  readonly state: StateReader;
  readonly time: number;
  /** True during the grace after a start or a stall, in which overdue leases are still held. */
  readonly grace: boolean;
  readonly principal: string;
  readonly agent?: string | undefined;
  /** The member `fence` of the input. */
  readonly fence?: string | undefined;
}
