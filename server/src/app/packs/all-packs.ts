import { planningRules } from "../../packs/planning/planning.ts";
import type { PackRules } from "../../packs/pack-rules.ts";

/** Every pack of the server. Add a new one here and to the contract's list. */
export const allPacks: readonly PackRules[] = [planningRules];
