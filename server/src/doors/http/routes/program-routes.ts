import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CallReply } from "@holdfast/sdk";
import { checkOf, membersOf, programId, programLockRoutes } from "@holdfast/sdk/contract";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import type { DoorParts } from "../door-parts.ts";
import { routedRecords } from "../routed-record.ts";
import type { RoutedRecord } from "../routed-record.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { callOrWait, optionsOf } from "./operation-routes.ts";
import {
  programAcquireInput,
  denialFields,
  replyFields,
  releaseInput,
  renewInput,
  rowFields,
} from "./program-fields.ts";
import type { ProgramFields } from "./program-fields.ts";
import { canonicalInput } from "../request/canonical-input.ts";
import { readBody } from "../request/read-body.ts";
import { readQuery, typedValues } from "../request/read-query.ts";
import { sendReply } from "../response/send-reply.ts";

const checkProgram = checkOf(programId);

const inputs: Readonly<Record<string, (program: string, body: never) => ProgramFields>> = {
  "acquire-lock": programAcquireInput,
  "release-lock": releaseInput,
  "renew-lock": renewInput,
};

/** The locks of a program. Each route is a view of an operation on locks. */
export function addProgramRoutes(app: FastifyInstance, parts: DoorParts): void {
  for (const { method, path, operation, body } of programLockRoutes) {
    const routed = routedAs(parts, operation);
    const check = body === undefined ? undefined : checkOf(body);
    const toInput = inputs[operation];
    app.route({
      method,
      url: path.replaceAll(/\{([a-z_]+)\}/gu, ":$1"),
      handler: async (request, reply) => {
        const options = optionsOf(routed, request);
        const program = programOf(request);
        const input =
          check === undefined || toInput === undefined
            ? listInput(routed, program, request)
            : canonicalInput(toInput(program, checked(check, readBody(request, ["application/json"])) as never));
        const answer = await callOrWait(
          parts,
          routed,
          { input, expected: { kind: "nothing" }, options },
          request,
          reply,
        );
        return sendProgramReply(request, reply, routed, answer);
      },
    });
  }
}

function routedAs({ operations }: DoorParts, operation: string): RoutedRecord {
  const found = routedRecords(operations).find(({ record }) => record.name === operation);
  if (found === undefined) throw new Error(`no operation ${operation}`);
  return found;
}

function programOf(request: FastifyRequest): string {
  const { program_id: id = "" } = request.params as Readonly<Record<string, string>>;
  checked(checkProgram, id);
  return id;
}

function listInput({ record }: RoutedRecord, program: string, request: FastifyRequest): CanonicalObject {
  const { under, ...query } = typedValues(readQuery(request.url), membersOf(record.input));
  if (under !== undefined)
    throw invalid([{ pointer: "/under", message: "must be sent in the path, not in the query" }]);
  return canonicalInput({ ...query, under: `program/${program}` });
}

function checked(check: ReturnType<typeof checkOf>, value: unknown): unknown {
  const issues = check(value);
  if (issues !== undefined) throw invalid(issues);
  return value;
}

function invalid(issues: readonly { pointer: string; message: string }[]): HttpProblem {
  return new HttpProblem("input_invalid", { issues });
}

function sendProgramReply(
  request: FastifyRequest,
  reply: FastifyReply,
  routed: RoutedRecord,
  answer: CallReply,
): FastifyReply {
  const { outcome } = answer;
  if (outcome.kind === "refusal") {
    const data = outcome.code === "lock_denied" ? denialFields(outcome.data) : outcome.data;
    return sendReply(request, reply, routed, { ...answer, outcome: { ...outcome, data } });
  }
  const data = outcome.data as ProgramFields;
  const fields =
    "items" in data
      ? { locks: (data["items"] as readonly ProgramFields[]).map(rowFields), next: data["next"] }
      : replyFields(data);
  return sendReply(request, reply, routed, { ...answer, outcome: { kind: "done", data: fields } });
}
