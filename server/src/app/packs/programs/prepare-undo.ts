/** Reads the values that an undo restores. They depend on the named mutation and its history alone. */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import { itemPath, programPath } from "../../../packs/programs/program-value.ts";
import type { Prepare } from "../../calls/app-operation.ts";
import { entityVersions } from "../../reads/entity-versions.ts";

export const prepareUndo: Prepare = {
  at: "head",
  isNeeded: () => true,
  async run(input, { services: { engine } }) {
    const { program_id: programId, mutation } = input as { readonly program_id: string; readonly mutation: number };
    const restored = await restoredItems(engine, programId, mutation);
    return { input: restored === undefined ? input : { ...input, restored } };
  },
};

interface MutatedItem {
  readonly item: string;
  readonly change: string;
}

/** The items of a mutation before it; undefined if the entry is not a mutation of this program. */
async function restoredItems(engine: Engine, programId: string, mutation: number): Promise<Json | undefined> {
  if (mutation > engine.head.position) return undefined;
  const [entry] = await engine.entriesAt([mutation]);
  const event = entry?.events.find(
    ({ type, subject }) => type === "program.mutated" && subject === programPath(programId),
  );
  const items = event?.data["items"] as unknown as readonly MutatedItem[] | undefined;
  if (items === undefined) return undefined;
  const restored: JsonObject[] = [];
  for (const { item, change } of items) {
    const value = change === "added" ? null : await valueBefore(engine, itemPath(programId, item), mutation);
    if (value === undefined) return undefined;
    restored.push({ item, value });
  }
  return restored;
}

async function valueBefore(engine: Engine, subject: string, mutation: number): Promise<Json | undefined> {
  const found = await entityVersions(engine, subject, { from: "latest", to: Infinity, before: mutation });
  return found.kind === "found" ? found.versions[0].value : undefined;
}
