import type { Engine } from "../../engine/engine.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { CallRights } from "../../operations/call.ts";

/** The implementation of a read. */
export type Read = (engine: Engine, input: never, agent: string | undefined, rights: CallRights) => Promise<Outcome>;
