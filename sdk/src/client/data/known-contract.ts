import { plainCode } from "../../contract/packs/code-of-pack.ts";
import { kindProblem } from "../../contract/problem.ts";
import type { ContractData, OperationData, ProblemText } from "./contract-data.ts";
import { coreData } from "./core-data.ts";
import { packLoaders } from "./pack-loaders.ts";

/** The data of the core, and of each pack that was used. */
const known = new Map<string, ContractData>([["", coreData]]);
const loading = new Map<string, Promise<void>>();

/** The name of the pack of an operation or a problem code; empty for the core. */
const packOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(".")));

/**
 * Loads the data of the pack that a name belongs to, if it is not loaded yet. Undefined if there is nothing to load:
 * the name belongs to the core, to a loaded pack, or to a kind of entity.
 */
export function loadPackData(name: string): Promise<void> | undefined {
  const pack = packOf(name);
  const load = Object.hasOwn(packLoaders, pack) ? packLoaders[pack] : undefined;
  if (load === undefined || known.has(pack)) return undefined;
  const started = loading.get(pack) ?? load().then((data) => void known.set(pack, data));
  loading.set(pack, started);
  // A failed download can be repeated.
  return started.finally(() => loading.delete(pack));
}

/** The data of an operation. Undefined for an operation of a kind, which the contract does not know. */
export function operationData(name: string): OperationData | undefined {
  const operations = known.get(packOf(name))?.operations;
  return operations !== undefined && Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** The text and the retry rule of a problem. A code of a pack is known only when the data of the pack is loaded. */
export function problemText(code: string): ProblemText {
  return textIn(code) ?? textIn(plainCode(code)) ?? kindProblem(code);
}

function textIn(code: string): ProblemText | undefined {
  const problems = known.get(packOf(code))?.problems;
  return problems !== undefined && Object.hasOwn(problems, code) ? problems[code] : undefined;
}
