import { intentsRules } from "../../../packs/intents/intents.ts";
import type { ServerPack } from "../server-pack.ts";
import { getIntent, listCorrections } from "./correction-history.ts";
import { intentView } from "./intent-view.ts";
import { prepareAdvance, prepareReevaluation } from "./prepare-correction.ts";

/** The pack `intents` with its parts that read history or hash. */
export const intentsPack: ServerPack = {
  ...intentsRules,
  reads: { ...intentsRules.reads, "intents.get": getIntent, "intents.list-corrections": listCorrections },
  prepare: { "intents.reevaluate": prepareReevaluation, "intents.advance": prepareAdvance },
  views: { intent: intentView },
};
