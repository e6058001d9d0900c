import type { GraphNode } from "../node.ts";
import type { Code, CallFrame } from "./frame.ts";
import { traceMax } from "./limits.ts";
import type { Value } from "./values.ts";

/** Records the inputs and the output of a node. The values that it received are those that its inputs returned. */
export function traced(node: GraphNode, code: Code): Code {
  return (frame) => {
    const { received, trace } = frame.execution;
    if (received === undefined) return code(frame);
    const depth = received.length;
    received.push([]);
    let output: Value;
    try {
      output = code(frame);
    } catch (signal) {
      // `return`, `break` and `continue` leave nodes whose values were not complete.
      received.length = depth;
      throw signal;
    }
    const inputs = received.pop() ?? [];
    if (trace.length < traceMax) trace.push({ node_id: node.id, op: node.op, inputs, output });
    received.at(-1)?.push(output);
    return output;
  };
}

/** A reference is an input too. */
export function tracedReference(frame: CallFrame, value: Value): Value {
  frame.execution.received?.at(-1)?.push(value);
  return value;
}
