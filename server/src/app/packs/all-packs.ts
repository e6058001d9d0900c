import { planningRules } from "../../packs/planning/planning.ts";
import type { PackRules } from "../../packs/pack-rules.ts";

/** Every pack that the server carries. A new one is added here, and to the contract's list. */
export const allPacks: readonly PackRules[] = [planningRules];
