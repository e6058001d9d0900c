import type { FastifyRequest } from "fastify";
import { membersOf } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import { HttpProblem } from "../response/http-problem.ts";
import { mediaType, readBody } from "./read-body.ts";
import type { ParseJson } from "./read-body.ts";
import { readQuery, typedValues } from "./read-query.ts";

type Members = Readonly<Record<string, unknown>>;

/** The input of an operation as a request spells it, and the tag that may stand beside it in the body. */
export interface SpelledInput {
  readonly input: Record<string, unknown>;
  readonly bodyTag: unknown;
}

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

/** Which media types a route takes. */
export function acceptedTypes({ route }: RoutedOperation): readonly string[] {
  if (route.method !== "PATCH") return [json];
  return route.patches === undefined ? [json, mergePatch, jsonPatch] : [json, mergePatch];
}

/**
 * Collects the members of the input from path, query and body. What does not belong to the operation stays in it, so
 * that the one check of the contract refuses it; only what would be in two places is refused here.
 */
export function readInput(routed: RoutedOperation, request: FastifyRequest, parseJson: ParseJson): SpelledInput {
  const input: Record<string, unknown> = {};
  const body = request.method === "GET" ? undefined : readBody(request, parseJson, acceptedTypes(routed));
  const { members, bodyTag } = bodyMembers(routed, request, body);
  place(routed, "query", typedValues(readQuery(request.url), membersOf(routed.operation.input)), input);
  place(routed, "body", members, input);
  for (const [name, value] of Object.entries(request.params as Members)) {
    if (routed.route.speaker !== name) input[name] = value;
  }
  return { input, bodyTag };
}

function bodyMembers(routed: RoutedOperation, request: FastifyRequest, body: unknown) {
  const none = { members: {}, bodyTag: undefined };
  if (body === undefined) return none;
  const type = mediaType(request);
  if (type === jsonPatch) return { ...none, members: { patch: body } };
  const { patches = "merge" } = routed.route;
  if (type === mergePatch) return { ...none, members: { [patches]: body } };
  if (!isObject(body)) throw invalid("", "must be an object");
  const { method, needs } = routed.route;
  if (needs !== "if-match") return { ...none, members: body };
  const { if_match: bodyTag, ...members } = body;
  return { members: method === "PATCH" ? { [patches]: members } : members, bodyTag };
}

function place({ route, sources }: RoutedOperation, from: "query" | "body", members: Members, input: object): void {
  for (const [name, value] of Object.entries(members)) {
    const source = sources.get(name);
    if (route.without?.includes(name) === true) throw invalid(`/${name}`, "can not be given here");
    if (source !== undefined && source !== from) throw invalid(`/${name}`, `comes from the ${wordOf(source)} here`);
    Object.assign(input, { [name]: value });
  }
}

function wordOf(source: string): string {
  return source === "condition" ? "header If-Match" : source;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(pointer: string, message: string): HttpProblem {
  return new HttpProblem("input_invalid", { issues: [{ pointer, message }] });
}
