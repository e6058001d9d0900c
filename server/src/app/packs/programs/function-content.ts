/** The content of a function in the view that its reader asks for. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json } from "@holdfast/sdk/json/json";
import { functionText } from "../../../packs/programs/language/function-text.ts";
import type { FunctionValue } from "../../../packs/programs/language/function-value.ts";
import type { NameTable } from "../../../packs/programs/language/names.ts";
import { edgesOf, nodeViews } from "../../../packs/programs/language/node-view.ts";
import { graphOf } from "../../../packs/programs/language/pack.ts";

export type FunctionView = "text" | "graph" | "full";

interface ContentOptions {
  readonly names: NameTable;
  readonly view: FunctionView;
  /** True: the text has the id of every node behind it. */
  readonly ids: boolean;
}

interface FunctionContent {
  readonly text?: string;
  readonly graph?: { readonly nodes: Json; readonly edges: Json };
}

export function functionContent(value: FunctionValue, { names, view, ids }: ContentOptions): FunctionContent {
  const options = { names, module: value.module, withIds: ids };
  return defined({
    text: view === "graph" ? undefined : functionText(value, options),
    graph: view === "text" ? undefined : shownGraph(value, options),
  });
}

type PrintOptions = Parameters<typeof nodeViews>[1];

function shownGraph(value: FunctionValue, options: PrintOptions): NonNullable<FunctionContent["graph"]> {
  const graph = graphOf(value);
  const nodes = [...nodeViews(graph, options).values()];
  return { nodes: nodes as unknown as Json, edges: edgesOf(graph) as unknown as Json };
}
