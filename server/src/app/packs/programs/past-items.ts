/** The items of a past position that a run of a function may reach. */
import type { Engine } from "../../../engine/engine.ts";
import { subjectOf } from "../../../features/entities/entity-table.ts";
import type { Refusal } from "../../../machine/entry.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { ItemWrite } from "../../../packs/programs/mutation-findings.ts";
import { programType, usedItems } from "../../../packs/programs/program-value.ts";
import type { ItemValue } from "../../../packs/programs/program-value.ts";
import { entityVersions } from "../../reads/entity-versions.ts";
import { pastFunction } from "./past-function.ts";
import type { FunctionTarget } from "./past-function.ts";

/** Maximum functions and types of a run at a past position. Each is read from the history by itself. */
const itemsMax = 200;

/** The function, the functions that it calls, and their types, each as it was at the position. */
export async function pastItems(
  engine: Engine,
  target: FunctionTarget,
  position: number,
): Promise<readonly ItemWrite[] | Refusal> {
  const start = await pastFunction(engine, target, { position });
  if ("kind" in start) return start;
  const found = new Map<string, ItemValue | null>([[`function/${target.function_id}`, start.value]]);
  // The map grows while it is read: an item that is added is visited later.
  for (const value of found.values()) {
    for (const item of value === null ? [] : usedItems(value)) {
      if (found.has(item)) continue;
      if (found.size >= itemsMax) return refusal("programs.limit_reached", { counted: "functions", limit: itemsMax });
      const past = await pastItem(engine, `${target.program_id}/${item}`, position);
      if (past !== null && "code" in past) return past;
      found.set(item, past);
    }
  }
  return [...found].map(([item, value]) => ({ item, value }));
}

async function pastItem(engine: Engine, id: string, position: number): Promise<ItemValue | Refusal | null> {
  const before = Math.min(position, engine.head.position) + 1;
  const found = await entityVersions(engine, subjectOf(programType, id), { from: "latest", to: Infinity, before });
  if (found.kind === "erased") return refusal("entry_erased", { type: programType, id, erased_by: found.by });
  const [newest] = found.kind === "found" ? found.versions : [];
  return (newest?.value ?? null) as unknown as ItemValue | null;
}
