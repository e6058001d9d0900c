import { programsRules } from "../../../packs/programs/programs.ts";
import type { ServerPack } from "../server-pack.ts";
import {
  checkMutation,
  exportProgram,
  listCalls,
  simulateFunction,
  testProgramFunction,
  verifyProgram,
} from "./verify-program.ts";
import { mutationEvidence, programsCheck } from "./check.ts";
import { explainHashConflict } from "./explain-hash-conflict.ts";
import { diffFunctions, listFunctionHistory } from "./function-history.ts";
import { getFunction } from "./get-function.ts";
import { getType, listFunctions, listTypes } from "./list-functions.ts";
import { prepareUndo } from "./prepare-undo.ts";
import { getGrammar, getProgram, getUndo, listMutations, listPrograms } from "./get-program.ts";

/** The pack `programs` with its check, its reads of history and its thread. */
export const programsPack: ServerPack = {
  ...programsRules,
  reads: {
    "programs.list": listPrograms,
    "programs.get": getProgram,
    "programs.list-functions": listFunctions,
    "programs.get-function": getFunction,
    "programs.list-function-history": listFunctionHistory,
    "programs.diff-functions": diffFunctions,
    "programs.list-calls": listCalls,
    "programs.list-types": listTypes,
    "programs.get-type": getType,
    "programs.verify": verifyProgram,
    "programs.simulate-function": simulateFunction,
    "programs.test-function": testProgramFunction,
    "programs.list-mutations": listMutations,
    "programs.export": exportProgram,
    "programs.get-grammar": getGrammar,
    "programs.check-mutation": checkMutation,
    "programs.get-undo": getUndo,
  },
  prepare: { "programs.undo": prepareUndo, "programs.redo": prepareUndo },
  evidence: {
    "programs.mutate": mutationEvidence,
    "programs.undo": mutationEvidence,
    "programs.redo": mutationEvidence,
    "programs.import": mutationEvidence,
  },
  explain: { "programs.hash_conflict": explainHashConflict },
  checks: [programsCheck],
};
