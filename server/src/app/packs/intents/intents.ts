import { intentsRules } from "../../../packs/intents/intents.ts";
import type { ServerPack } from "../server-pack.ts";
import { getIntent } from "./get-intent.ts";
import { listCorrections } from "./list-corrections.ts";
import { intentView } from "./intent-view.ts";
import { retirementEvidence } from "./retirement-evidence.ts";
import { finishCorrection, prepareCorrection, prepareStepCorrection } from "./prepare-correction.ts";

/** The pack `intents` with its parts that read history or hash. */
export const intentsPack: ServerPack = {
  ...intentsRules,
  reads: { ...intentsRules.reads, "intents.get": getIntent, "intents.list-corrections": listCorrections },
  prepare: { "intents.reevaluate": prepareCorrection, "intents.advance": prepareStepCorrection },
  finish: { "intents.reevaluate": finishCorrection },
  evidence: { "intents.create": retirementEvidence },
  views: { intent: intentView },
};
