/** The pack `planning`: its kinds, its rules and its index. */
import { planning } from "@holdfast/sdk/contract";
import { decideByKind } from "../../features/entities/write-by-kind.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import type { Feature } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { DecideResource } from "../resource-decides.ts";
import { packRules, resourceDecides, targetOf } from "../resource-decides.ts";
import type { PackRules } from "../pack-rules.ts";
import { planningFolds } from "./planning-folds.ts";
import { planningKinds } from "./kinds.ts";
import { listPlanned } from "./list-planned.ts";
import { planTable } from "./plan-table.ts";

const { resources } = planning;

function kindOf(type: string) {
  const kind = planningKinds.find((candidate) => candidate.type === type);
  if (kind === undefined) throw new Error(`planning has no kind ${type}`);
  return kind;
}

const missionKind = kindOf("planning-mission");

/** A transition changes only the status. The rule of missions decides whether it is allowed. */
const moveMission =
  (event: (to: string) => string): DecideResource =>
  ({ to, ...input }, context) => {
    const status = typeof to === "string" ? to : "planned";
    const update = (value: Json): Json => ({ ...(value as JsonObject), status });
    return decideByKind(missionKind, { target: targetOf(input), name: event(status), change: { update } }, context);
  };

const transitionMission = moveMission((to) => to);

const reopenMission: DecideResource = ({ reason: _reason, ...input }, context) =>
  operatorOnly(context) ?? moveMission(() => "reopened")(input, context);

const feature: Feature = {
  name: "planning",
  needs: ["space", "locks", "entities"],
  tables: [planTable],
  rules: packRules(planning, {
    ...Object.fromEntries(
      resources.flatMap((resource) => {
        const kind = kindOf(resource.type);
        return Object.entries(resourceDecides(resource, kind, kind === missionKind ? { status: "draft" } : {}));
      }),
    ),
    "planning.transition-mission": transitionMission,
    "planning.reopen-mission": reopenMission,
  }),
  folds: planningFolds,
  reactions: {},
  timers: [],
};

export const planningRules: PackRules = { contract: planning, feature, kinds: planningKinds, list: listPlanned };
