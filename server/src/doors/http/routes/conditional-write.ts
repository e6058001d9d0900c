import type { CallReply, DoorCallOptions, DoorTransport } from "@holdfast/sdk";
import { packOfOperation, resourceOfOperation } from "@holdfast/sdk/contract";
import type { Issue, Route } from "@holdfast/sdk/contract";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { HttpProblem } from "../response/http-problem.ts";
import type { Expected } from "../request/read-tags.ts";

/** A write to an entity, as a resource route asks for it. */
export interface ResourceWrite {
  readonly operation: string;
  readonly route: Route;
  readonly input: CanonicalObject;
  readonly expected: Expected;
  readonly options: DoorCallOptions;
}

/**
 * Sends a write that must say which version it expects. The order of checks is the machine's: a known key is answered
 * first, then the input is checked, and only then does it matter what the caller has seen.
 */
export async function writeConditionally(transport: DoorTransport, write: ResourceWrite): Promise<CallReply> {
  const { operation, route, input, expected, options } = write;
  if (route.needs === "if-none-match") return transport.call(operation, { ...input, expected_version: 0 }, options);
  switch (expected.kind) {
    case "revision":
      return transport.call(operation, { ...input, expected_revision: expected.revision }, options);
    case "unknown":
      // No version ever had this tag: its sender has seen none, so all that is there is news to it.
      return transport.call(operation, { ...input, expected_version: 0 }, options);
    case "nothing":
      return withoutTag(transport, write);
  }
}

/**
 * A write without a tag is never done, but a known key or a bad input is told first. So it is sent with a revision that
 * no schema takes: the machine looks up the key, checks the input, and can not get any further.
 */
async function withoutTag(transport: DoorTransport, write: ResourceWrite): Promise<CallReply> {
  const { operation, input, options } = write;
  const reply = await transport.call(operation, { ...input, expected_revision: "" }, options);
  const { outcome } = reply;
  if (outcome.kind === "done") throw new Error(`${operation} was done without a tag`);
  if (outcome.code !== "input_invalid") return reply;
  const issues = (outcome.data["issues"] as readonly Issue[]).filter(({ pointer }) => pointer !== "/expected_revision");
  if (issues.length > 0) return { ...reply, outcome: { ...outcome, data: { ...outcome.data, issues } } };
  return (await missingTarget(transport, write)) ?? etagRequired(reply.position);
}

/** Whoever changes what is not there is told so, whatever it has seen. A PUT could create it. */
async function missingTarget(transport: DoorTransport, write: ResourceWrite): Promise<CallReply | undefined> {
  if (write.route.method === "PUT") return undefined;
  const { type = null, id = null } = write.input;
  const { agent, agentSecret } = write.options;
  const speaker = { ...(agent === undefined ? {} : { agent }), ...(agentSecret === undefined ? {} : { agentSecret }) };
  const ofPack = packOfOperation(write.operation);
  const resource = ofPack === undefined ? undefined : resourceOfOperation(ofPack, write.operation);
  const target = { ...emptyInput, type: resource?.type ?? type, id };
  const found = await transport.call("get-entity", target, { ...speaker, inputBytes: 0 });
  return found.outcome.kind === "refusal" ? found : undefined;
}

function etagRequired(position: number): never {
  throw new HttpProblem("concurrency_etag_required", { header: "If-Match", position });
}
