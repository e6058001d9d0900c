import type { FunctionGraph } from "../node.ts";
import { parseTypeText } from "../parse-types.ts";
import type { Type } from "../types.ts";
import { changeGraph, type StepContext, StepFailed, type StepOf } from "./step-context.ts";

export function changeSignature(context: StepContext, step: StepOf<"change_signature">): void {
  changeGraph(context, step.function_id, (graph): FunctionGraph => {
    const read = (text: string): Type => {
      const { type, errors } = parseTypeText(text, { names: context.draft.names, module: graph.module });
      if (errors.length > 0) throw new StepFailed(errors);
      return type;
    };
    let { next } = graph;
    const known = new Set(graph.parameters.map(({ id }) => id));
    const parameters = step.params?.map(({ node_id: id, name, type }) => {
      if (id !== undefined && known.delete(id)) return { id, name, type: read(type) };
      next += 1;
      return { id: next - 1, name, type: read(type) };
    });
    return {
      ...graph,
      parameters: parameters ?? graph.parameters,
      result: step.result === undefined ? graph.result : read(step.result),
      public: step.public ?? graph.public,
      io: step.io ?? graph.io,
      total: step.total ?? graph.total,
      next,
    };
  });
}
