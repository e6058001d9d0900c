/** The edge between the client and the wire: inputs become snake_case, replies become camelCase. */
import { callRefusal } from "../call-refusal.ts";
import type { CallReply } from "../transport/transport.ts";
import { mapperOf, operationData, problemShape } from "./operation-data.ts";
import type { DurationFault } from "./member-mapper.ts";

/** The input as the wire has it, or the refusal of a duration that the wire cannot carry. */
export function inputToWire(
  operation: string,
  input: unknown,
): { readonly wire?: unknown; readonly refused?: CallReply } {
  const mapper = mapperOf(operation);
  const shape = operationData(operation)?.input;
  if (mapper === undefined || shape === undefined) return { wire: input };
  const issues: DurationFault[] = [];
  const wire = mapper.toWire(input, shape, issues);
  return issues.length === 0 ? { wire } : { refused: callRefusal("input_invalid", { issues }) };
}

/** The reply as the client shows it. Events keep the data of the journal. */
export function replyToClient(operation: string, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "refusal") {
    const { mapper, shape } = problemShape(outcome.code);
    if (shape === undefined) return reply;
    const data = mapper.toClient(outcome.data, shape) as Readonly<Record<string, unknown>>;
    return { ...reply, outcome: { ...outcome, data } };
  }
  const shape = operationData(operation)?.output;
  if (shape === undefined) return reply;
  return { ...reply, outcome: { kind: "done", data: mapperOf(operation)?.toClient(outcome.data, shape) } };
}
