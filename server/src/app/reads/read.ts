import type { Engine } from "../../engine/engine.ts";
import type { Outcome } from "../../machine/entry.ts";

/** The implementation of a read. */
export type Read = (engine: Engine, input: never, agent?: string) => Promise<Outcome>;
