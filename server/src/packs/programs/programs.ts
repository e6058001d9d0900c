/** The pack `programs`: its kind, its rules, its tables and its folds. The language is next to it, and decisions never use it. */
import { programInternals, programs } from "@holdfast/sdk/contract";
import { rulesOf } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Feature, RestsOn } from "../../machine/feature.ts";
import type { PackRules } from "../pack-rules.ts";
import { packRules } from "../resource-decides.ts";
import type { DecideResource } from "../resource-decides.ts";
import { isBaseOfStacked, stackedAt, stackTable, triesTable } from "./stack-table.ts";
import { createProgram } from "./create.ts";
import { importProgram } from "./import.ts";
import { itemTable, removalTable, userCountTable } from "./item-tables.ts";
import { mutateProgram } from "./mutate.ts";
import { programFolds } from "./program-folds.ts";
import { programKind } from "./program-kind.ts";
import { parseSubject } from "./program-value.ts";
import { removalTimer, removeItems } from "./remove-items.ts";
import { redoMutation, undoMutation } from "./undo.ts";
import { deleteProgram, updateProgram } from "./update.ts";

/** The contract has checked the input, so a rule reads it with its own type. */
const rule = (decide: (input: never, context: DecideContext) => Decision): DecideResource => decide as DecideResource;

/** An undo restores the version before its mutation. The entries that make this version stay. */
const itemRestsOn: RestsOn = (state, subject, position) => {
  const { programId = "", item } = parseSubject(subject) ?? {};
  return item !== undefined && isBaseOfStacked(state, { programId, item: item.name }, position);
};

const feature: Feature = {
  name: "programs",
  needs: ["space", "agents", "locks", "entities"],
  tables: [itemTable, userCountTable, removalTable, stackTable, triesTable],
  rules: {
    ...packRules(programs, {
      "programs.create": rule(createProgram),
      "programs.update": rule(updateProgram),
      "programs.delete": rule(deleteProgram),
      "programs.mutate": rule(mutateProgram),
      "programs.undo": rule(undoMutation),
      "programs.redo": rule(redoMutation),
      "programs.import": rule(importProgram),
    }),
    ...rulesOf(programInternals, { "programs.remove-items": removeItems }),
  },
  folds: programFolds,
  reactions: {},
  restsOn: {
    "entity.created": itemRestsOn,
    "entity.replaced": itemRestsOn,
    "entity.merged": itemRestsOn,
    "entity.patched": itemRestsOn,
    "program.mutated": (state, subject, position) =>
      stackedAt(state, parseSubject(subject)?.programId ?? "", position) !== undefined,
    "program.hash_conflict": (state) => state.rows(triesTable).size > 0,
  },
  timers: [removalTimer],
};

export const programsRules: PackRules = { contract: programs, feature, kinds: [programKind] };
