/**
 * The routes that the door serves, the routes in its OpenAPI description and the operations of the contract are the
 * same.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { llmsText } from "../../server/src/doors/http/openapi/llms-text.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { checkOf, packs, programLockRoutes, publicOperations, routedOperations } from "@holdfast/sdk/contract";
import { openApiDocument } from "../../server/src/doors/http/openapi/openapi-document.ts";
import { httpServer } from "./http-server.ts";

/** Routes of the door itself. Every other route belongs to an operation. */
const streams = ["POST /v1/streams/{operation}", "GET /v1/streams/{operation}"];
const frame = [...streams, "POST /v1/commands", "GET /v1/cursor", "GET /v1/events", "GET /v1/notices", "GET /health"];

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

const document = openApiDocument("1.2.3");
const described = Object.entries(document["paths"] as Paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);
const operations = [...publicOperations, ...packs.flatMap((pack) => pack.operations)];
const routed = routedOperations.map(({ route }) => `${route.method} ${route.path}`);
const program = programLockRoutes.map(({ method, path }) => `${method} ${path}`);

test("every public operation has a route, and every route has an operation [X8]", () => {
  for (const { name, routes } of operations) assert.ok(routes.length > 0, name);
  assert.deepEqual(new Set(described), new Set([...routed, ...program, ...frame]));
});

test("two operations share a route only where a required header distinguishes them", () => {
  const shared = routed.filter((route, index) => routed.indexOf(route) !== index);
  assert.deepEqual(shared, ["PUT /v1/entities/{type}/{id}"]);
  const needs = routedOperations.filter(({ route }) => `${route.method} ${route.path}` === shared[0]);
  assert.deepEqual(new Set(needs.map(({ route }) => route.needs)), new Set(["if-match", "if-none-match"]));
});

test("the description is valid OpenAPI 3.1, and every operation id is unique", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  const ids = Object.values(document["paths"] as Paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test("the example of every operation matches its schema", () => {
  for (const { name, input, example } of operations) assert.equal(checkOf(input)(example), undefined, name);
});

test("every described route exists and allows the described method", async () => {
  await using server = await httpServer();
  for (const route of described) {
    const [method = "", path = ""] = route.split(" ");
    const answer = await server.request("OPTIONS", path.replaceAll(/\{[a-z_]+\}/gu, "x"));
    assert.equal(answer.status, 204, route);
    assert.ok(answer.headers.get("allow")?.split(", ").includes(method), route);
    assert.equal(answer.headers.get("access-control-allow-origin"), null, "the answer has no CORS header");
  }
});

test("the documentation page needs no token, loads nothing from elsewhere, and names every route", async () => {
  await using server = await httpServer();
  const [page, json] = await Promise.all([server.request("GET", "/docs"), server.request("GET", "/openapi.json")]);
  assert.equal(page.status, 200);
  for (const route of described) assert.ok(page.text.includes(`<code>${route}</code>`), route);
  assert.doesNotMatch(page.text, /<script|<link|<img|(src|href)="(?!#|\/openapi)/u);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/u);
  assert.equal(json.body["openapi"], "3.1.0");
});

test("the page for language models has at most 2 kB and names the commands of an agent", () => {
  assert.ok(Buffer.byteLength(llmsText) <= 2_048, String(Buffer.byteLength(llmsText)));
  for (const command of ["take", "wait", "ask", "who", "release"])
    assert.match(llmsText, new RegExp(`holdfast ${command} `));
});
