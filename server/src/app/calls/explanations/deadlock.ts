import { cycleText } from "@holdfast/sdk/contract";
import type { CycleLink } from "@holdfast/sdk/contract";
import type { Explain } from "../explain.ts";

/** The cycle as a sentence. */
export const explainDeadlock: Explain = ({ data }) => ({
  cycle_text: cycleText(data["cycle"] as unknown as readonly CycleLink[]),
});
