import type { RetirementEvidence } from "../../../packs/intents/create.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import type { EvidenceSource } from "../../calls/app-operation.ts";
import { retiredEntity } from "../../reads/retired-entity.ts";

/** Finds out whether the id of a new intent is that of a retired one. The decision asks for it only if it is unsure. */
export const retirementEvidence: EvidenceSource = {
  asksDecision: true,
  gather: async ({ id }, { services: { engine } }) => {
    const { position } = engine.head;
    const retired = await retiredEntity(engine, { type: intentType, id: id as string });
    return { position, retired: retired !== undefined } satisfies RetirementEvidence;
  },
};
