import type { JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import { rootTable } from "../files/file-tables.ts";
import { refusedBy } from "./access.ts";

/** The root that the caller names, or the only one. Nothing is guessed. Without any root, a project has no files. */
export function chosenRoot(
  context: DecideContext,
  root: string | undefined,
  operation: string,
): string | undefined | Decision {
  const roots = context.state.rows(rootTable).scan("root", { limit: 1_000 });
  const names = roots.map((row) => row.root);
  if (root !== undefined)
    return names.includes(root) ? root : refusedBy(context, refusal("files.root_unknown", { root, roots: names }));
  if (names.length < 2) return names[0];
  const question = `There are ${String(names.length)} storage roots: ${names.join(", ")}. In which one are the files of ${operation}? Send root.`;
  const choices = names.map((name): JsonObject => ({ root: name }));
  return refusedBy(context, refusal("workspace.root_ambiguous", { question, choices, roots: names }));
}
