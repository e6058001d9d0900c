/**
 * Valid and invalid requests generated from the OpenAPI description. None may break the door, and every answer must be
 * described.
 */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { checkOf } from "@holdfast/sdk/contract";
import type { InputCheck } from "@holdfast/sdk/contract";
import { openApiDocument } from "../../server/src/doors/http/openapi/openapi-document.ts";
import { problemSchema } from "../../server/src/doors/http/openapi/openapi-parts.ts";
import type { HttpAnswer, HttpCall, JsonBody, HttpServer } from "./http-server.ts";

const atOnce = 20;
/** Refusals that are recorded in the journal. All others leave no entry. */
const recorded = /(concurrency_mismatch|deadlock|not_allowed|entity_exists)$/u;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonBody;
  readonly example?: unknown;
}

export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: JsonBody; readonly example?: unknown } | undefined;
  /** The checks of an answer, by its status. */
  readonly answers: ReadonlyMap<string, InputCheck>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, JsonBody>>>>;

const document = openApiDocument("fuzz");

/** Every described route except event streams, which do not end. */
export function describedRoutes(): readonly DescribedRoute[] {
  const shared = (document["components"] as { parameters: Readonly<Record<string, Parameter>> }).parameters;
  const endless = new Set(["/v1/events", "/v1/notices"]);
  const paths = Object.entries(document["paths"] as Paths).filter(([path]) => !endless.has(path));
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation["parameters"] ?? []) as readonly (Parameter & { $ref?: string })[];
      const body = operation["requestBody"] as
        | { content: Readonly<Record<string, DescribedRoute["body"]>> }
        | undefined;
      return {
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((parameter) =>
          parameter.$ref === undefined ? parameter : shared[parameter.$ref.split("/").at(-1)!]!,
        ),
        body: body?.content["application/json"],
        answers: new Map(
          Object.entries(operation["responses"] as Responses).map(([status, response]) => [status, fits(response)]),
        ),
      };
    }),
  );
}

type Responses = Readonly<
  Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
>;

/** The check of a success. Problems share one schema, which is checked separately. */
function fits({ content }: Responses[string]): InputCheck {
  const schema = content?.["application/json"]?.schema;
  return schema === undefined ? () => undefined : checkOf(schema);
}

/** Mostly values that match the schema, sometimes arbitrary ones. */
function sample(schema: JsonBody, example: unknown): fc.Arbitrary<unknown> {
  const junk = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean(), fc.constant([]), fc.constant({}));
  const fitting = example === undefined ? fittingValue(schema) : fc.constant(example);
  return fc.oneof({ arbitrary: fitting, weight: 5 }, { arbitrary: junk, weight: 1 });
}

function fittingValue(schema: JsonBody): fc.Arbitrary<unknown> {
  const { type, minimum = 0, maximum = 1000 } = schema as { type?: string; minimum?: number; maximum?: number };
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  if (type === "integer") return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1000) });
  if (type === "boolean") return fc.boolean();
  return fc.constantFrom("a", "a/b", "1.1", "9.9", "");
}

function bodyOf({ schema, example }: NonNullable<DescribedRoute["body"]>): fc.Arbitrary<unknown> {
  const members = (schema["properties"] ?? {}) as Readonly<Record<string, JsonBody>>;
  const shown = (example ?? {}) as JsonBody;
  const known = Object.entries(members).map(([name, member]) => [name, sample(member, shown[name])] as const);
  const whole = fc.record(Object.fromEntries(known), { requiredKeys: [] });
  const extended = fc
    .tuple(whole, fc.string(), fc.jsonValue())
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  return fc.oneof(
    { arbitrary: whole, weight: 6 },
    { arbitrary: extended, weight: 1 },
    { arbitrary: fc.jsonValue(), weight: 1 },
  );
}

const headers = fc.record(
  {
    "if-match": fc.constantFrom('"1.1"', '"1.2"', "*", 'W/"1.1"', '"x"', "1.1"),
    "idempotency-key": fc.constantFrom("k1", "k2", '"k3"', "a\\b", "x".repeat(300)),
    "if-none-match": fc.constantFrom("*", '"1.1"'),
    prefer: fc.constantFrom("wait=0", "wait=x"),
    "x-agent-id": fc.constantFrom("nobody"),
  },
  { requiredKeys: [] },
);

function requestTo(route: DescribedRoute): fc.Arbitrary<{ path: string; ask: HttpCall }> {
  const values = route.parameters
    .filter((parameter) => parameter.in !== "header")
    .map((parameter) => [parameter.name, sample(parameter.schema, parameter.example)] as const);
  const body = route.body === undefined ? fc.constant(undefined) : bodyOf(route.body);
  return fc.tuple(fc.record(Object.fromEntries(values)), body, headers).map(([given, content, sent]) => {
    const text = (value: unknown): string =>
      encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
    const query = route.parameters.filter((parameter) => parameter.in === "query" && given[parameter.name] !== "");
    const path = route.path.replaceAll(/\{([a-z_]+)\}/gu, (_all, name: string) => text(given[name]) || "x");
    const tail = query.map((parameter) => `${parameter.name}=${text(given[parameter.name])}`).join("&");
    return { path: tail === "" ? path : `${path}?${tail}`, ask: { body: content, headers: sent } };
  });
}

const checkProblem = checkOf(problemSchema);

/** Checks the answer to any request. Returns whether the request may have made an entry. */
function judge(route: DescribedRoute, sent: string, { status, headers: got, body, text }: HttpAnswer): boolean {
  const about = `${route.method} ${sent}: ${String(status)} ${text.slice(0, 300)}`;
  assert.ok(status < 500, about);
  // An id that is a dot or empty makes another address.
  assert.ok(route.answers.has(String(status)) || status === 404 || status === 405, `status not described: ${about}`);
  if (status < 400) {
    assert.deepEqual(route.answers.get(String(status))?.(body), undefined, `body not as described: ${about}`);
    return route.method !== "GET";
  }
  assert.match(got.get("content-type") ?? "", /^application\/problem\+json/u, about);
  assert.equal(checkProblem(body), undefined, about);
  return recorded.test(String(body["code"])) || got.get("idempotent-replayed") === "false";
}

export async function attack(
  server: HttpServer,
  route: DescribedRoute,
  amount: { readonly seed: number; readonly requests: number },
): Promise<void> {
  const requests = fc.sample(requestTo(route), { numRuns: amount.requests, seed: amount.seed });
  const start = await server.position();
  let entriesMax = 0;
  for (let index = 0; index < requests.length; index += atOnce) {
    const group = requests.slice(index, index + atOnce);
    const answers = await Promise.all(group.map(({ path, ask: call }) => server.request(route.method, path, call)));
    for (const [at, answer] of answers.entries()) {
      if (judge(route, group[at]!.path, answer)) entriesMax += Array.isArray(group[at]!.ask.body) ? 1000 : 1;
    }
  }
  const entries = (await server.position()) - start;
  assert.ok(
    entries <= entriesMax,
    `${route.method} ${route.path}: ${String(entries)} entries, at most ${String(entriesMax)} expected`,
  );
}
