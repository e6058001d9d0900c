/** The pack `intents`: its kind, its rules, its tables and its reaction to locks that end. */
import { intentInternals, intents } from "@holdfast/sdk/contract";
import { rulesOf } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Feature } from "../../machine/feature.ts";
import { recordedEvents } from "../recorded-events.ts";
import { packRules } from "../resource-decides.ts";
import type { DecideResource } from "../resource-decides.ts";
import type { PackRules } from "../pack-rules.ts";
import { advanceIntent } from "./advance.ts";
import { configureIntents } from "./configure.ts";
import { correctionTable } from "./correction-table.ts";
import { createIntent } from "./create.ts";
import { deleteIntent } from "./delete.ts";
import { intentFolds } from "./intent-folds.ts";
import { intentKind } from "./intent-kind.ts";
import { intentSettingsTable } from "./intent-settings-table.ts";
import { intentTable } from "./intent-table.ts";
import { interruptRun } from "./interrupt-run.ts";
import { listIntents, listStrategies } from "./list-intents.ts";
import { reevaluateIntent } from "./reevaluate.ts";
import { retireIntents, retirementTimer } from "./retire.ts";
import { runIntent } from "./run.ts";
import { stopIntent } from "./stop.ts";
import { transitionIntent } from "./transition.ts";
import { updateIntent } from "./update.ts";
import { updateManyIntents } from "./update-many.ts";

/** The contract has checked the input, so a rule reads it with its own type. */
const rule = (decide: (input: never, context: DecideContext) => Decision): DecideResource => decide as DecideResource;

/** The events for the audit trail. All others change the tables of the pack. */
const audited = recordedEvents({
  ...intents,
  events: Object.fromEntries(Object.entries(intents.events).filter(([, { audit }]) => audit !== undefined)),
});

const feature: Feature = {
  name: "intents",
  needs: ["space", "agents", "locks", "entities"],
  tables: [intentTable, correctionTable, intentSettingsTable],
  rules: {
    ...packRules(intents, {
      "intents.create": rule(createIntent),
      "intents.update": rule(updateIntent),
      "intents.update-many": rule(updateManyIntents),
      "intents.transition": rule(transitionIntent),
      "intents.reevaluate": rule(reevaluateIntent),
      "intents.delete": rule(deleteIntent),
      "intents.configure": rule(configureIntents),
      "intents.run": rule(runIntent),
      "intents.advance": rule(advanceIntent),
      "intents.stop": rule(stopIntent),
    }),
    ...rulesOf(intentInternals, { "intents.retire": retireIntents }),
  },
  folds: { ...audited.folds, ...intentFolds },
  reactions: interruptRun,
  restsOn: { ...audited.restsOn, "intent.correction_kept": () => false },
  timers: [retirementTimer],
};

export const intentsRules: PackRules = {
  contract: intents,
  feature,
  kinds: [intentKind],
  reads: { "intents.list": listIntents, "intents.list-strategies": listStrategies },
};
