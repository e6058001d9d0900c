import { planningPack } from "./planning/planning.ts";
import type { ServerPack } from "./server-pack.ts";

/** Every pack that the server carries. A new one is added here, and to the contract's list. */
export const allPacks: readonly ServerPack[] = [planningPack];
