import type { FastifyRequest } from "fastify";
import { membersOf, readsContentDigest, readsIfMatch } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { Canonical, CanonicalObject } from "@holdfast/sdk/json/canonical";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { HttpProblem } from "../response/http-problem.ts";
import type { RoutedRecord } from "../routed-record.ts";
import { canonicalInput } from "./canonical-input.ts";
import { mediaType, readBody } from "./read-body.ts";
import { readContentDigest } from "./read-content-digest.ts";
import { readQuery, typedValues } from "./read-query.ts";

type Members = Readonly<Record<string, unknown>>;

/** The input of an operation from a request, and the tag that may be in its body. */
interface RequestInput {
  readonly input: CanonicalObject;
  readonly bodyTag: Json | undefined;
}

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

/** The media types of a route. */
export function acceptedTypes({ route }: Pick<RoutedRecord, "route">): readonly string[] {
  if (route.method !== "PATCH") return [json];
  return route.patches === undefined ? [json, mergePatch, jsonPatch] : [json, mergePatch];
}

/**
 * Collects the members of the input from path, query and body. Unknown members stay, so that the schema check refuses
 * them. Only members that appear in two places are refused here.
 */
export function readInput(routed: RoutedRecord, request: FastifyRequest): RequestInput {
  const hasMembers = request.method !== "GET" && routed.record.body !== "binary";
  const { members, bodyTag } = hasMembers ? readMembers(routed, request) : noBody;
  const schemas = membersOf(routed.record.input);
  const query = typedValues(readQuery(request.url), schemas);
  refuseMisplaced(routed, "query", query);
  refuseMisplaced(routed, "body", members);
  const inPath = Object.entries(request.params as Readonly<Record<string, string>>);
  const params = inPath
    .filter(([name]) => routed.route.speaker !== name)
    .map(([name, text]) => [name, [text]] as const);
  const digest = readsContentDigest(routed.record)
    ? readContentDigest(request.raw.headersDistinct["content-digest"])
    : undefined;
  if (digest !== undefined && (query["sha256"] ?? digest) !== digest)
    throw invalid("/sha256", "differs from the header Content-Digest");
  const named = { ...query, ...typedValues(new Map(params), schemas), ...defined({ sha256: digest }) };
  const input = { ...canonicalInput(named), ...members };
  return { input, bodyTag };
}

interface BodyMembers {
  readonly members: CanonicalObject;
  readonly bodyTag: Json | undefined;
}

const noBody: BodyMembers = { members: emptyInput, bodyTag: undefined };

/** A patch is one member of the input, so it may be one level less deep than an input, as at every other door. */
const patchLimits = { ...inputLimits, depthMax: inputLimits.depthMax - 1 };

function readMembers(routed: RoutedRecord, request: FastifyRequest): BodyMembers {
  const { method, needs, patches = "merge" } = routed.route;
  const type = mediaType(request);
  const isPatch = type === jsonPatch || type === mergePatch;
  const isMember = isPatch || (method === "PATCH" && (needs === "if-match" || routed.route.patches !== undefined));
  const body = readBody(request, acceptedTypes(routed), isMember ? patchLimits : inputLimits);
  if (body === undefined) return noBody;
  if (isPatch) return { ...noBody, members: memberOf(type === jsonPatch ? "patch" : patches, body) };
  if (!isObject(body)) throw invalid("", "must be an object");
  if (!readsIfMatch(routed.route)) return { ...noBody, members: isMember ? memberOf(patches, body) : body };
  const { if_match: bodyTag, ...members } = body;
  return { members: isMember ? memberOf(patches, members) : members, bodyTag };
}

function memberOf(name: string, value: Canonical): CanonicalObject {
  return { ...emptyInput, [name]: value };
}

function refuseMisplaced({ route, sources }: RoutedRecord, from: "query" | "body", members: Members): void {
  for (const name of Object.keys(members)) {
    const source = sources.get(name);
    if (route.without?.includes(name) === true) throw invalid(`/${name}`, "is not allowed at this route. Remove it");
    if (source !== undefined && source !== from)
      throw invalid(`/${name}`, `must be sent in the ${sourceName(source)}, not in the ${from}`);
  }
}

function sourceName(source: string): string {
  return source === "condition" ? "header If-Match" : source;
}

function invalid(pointer: string, message: string): HttpProblem {
  return new HttpProblem("input_invalid", { issues: [{ pointer, message }] });
}
