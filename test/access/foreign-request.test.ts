import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedHostsOf, foreignRequest } from "../../server/src/access/foreign-request.ts";

const allowed = allowedHostsOf(4700, ["holdfast.example", "[2001:db8::1]:8080"]);

/** The code with which a request is refused; undefined if it is accepted. */
function codeOf(headers: Record<string, string | string[]>, method = "GET"): string | undefined {
  const given = Object.entries({ host: "127.0.0.1:4700", ...headers });
  const distinct = Object.fromEntries(given.map(([name, value]) => [name, [value].flat()]));
  return foreignRequest({ method, headers: distinct }, allowed)?.code;
}

test("a request is accepted only if its Host header has a name and the port of this server", () => {
  const own = ["127.0.0.1:4700", "localhost:4700", "LOCALHOST:4700", "[::1]:4700", "holdfast.example"];
  for (const host of [...own, "holdfast.example:4700", "[2001:db8::1]:8080"]) {
    assert.equal(codeOf({ host }), undefined, host);
  }
  const foreign = ["evil.example", "evil.example:4700", "localhost", "localhost:80", "127.0.0.1", "0.0.0.0:4700"];
  const similar = ["127.0.0.1:47000", "localhost:4700.evil.example", "localhost:4700@evil.example", "127.0.0.2:4700"];
  for (const host of [...foreign, ...similar, "[2001:db8::1]:4700", "xholdfast.example", ""]) {
    assert.equal(codeOf({ host }), "foreign_request", host);
  }
});

test("a request without a Host header, or with two of them, is refused [X14]", () => {
  assert.equal(foreignRequest({ method: "GET", headers: {} }, allowed)?.code, "foreign_request");
  assert.equal(codeOf({ host: ["127.0.0.1:4700", "evil.example"] }), "foreign_request");
});

test("a server on port 80 accepts a Host header without a port", () => {
  const onPort80 = allowedHostsOf(80);
  const refusalCode = (host: string) => foreignRequest({ method: "GET", headers: { host: [host] } }, onPort80)?.code;
  assert.deepEqual(["localhost", "localhost:80", "evil.example"].map(refusalCode), [
    undefined,
    undefined,
    "foreign_request",
  ]);
});

test("a page of another origin or of the origin null is refused, and a page of this server is accepted", () => {
  for (const origin of ["http://127.0.0.1:4700", "http://localhost:4700", "https://holdfast.example"]) {
    assert.equal(codeOf({ origin }), undefined, origin);
  }
  const foreign = ["http://evil.example", "http://localhost:3000", "http://localhost", "null", "", "file://"];
  const similar = ["http://localhost:4700.evil.example", "ftp://localhost:4700", "http://localhost:4700/x"];
  for (const origin of [...foreign, ...similar]) assert.equal(codeOf({ origin }), "foreign_request", origin);
  assert.equal(codeOf({ origin: ["http://localhost:4700", "http://evil.example"] }), "foreign_request");
});

test("a request that the browser marks as cross-site is refused, also without an Origin header", () => {
  for (const site of ["same-origin", "none"]) assert.equal(codeOf({ "sec-fetch-site": site }), undefined, site);
  for (const site of ["cross-site", "same-site", "new-kind", ["none", "cross-site"]]) {
    assert.equal(codeOf({ "sec-fetch-site": site }), "foreign_request", String(site));
  }
});

test("a body must have the content type JSON, because a page can send text and forms to any site without a preflight", () => {
  const body = { "content-length": "2" };
  const types = ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"];
  for (const type of [...types, "application/json-patch+json"]) {
    assert.equal(codeOf({ ...body, "content-type": type }, "POST"), undefined, type);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assert.equal(codeOf({ ...body, "content-type": type }, method), "content_type_unsupported", type);
    }
  }
  assert.equal(codeOf(body, "POST"), "content_type_unsupported");
  assert.equal(
    codeOf({ ...body, "content-type": ["application/json", "text/plain"] }, "POST"),
    "content_type_unsupported",
  );
  assert.equal(codeOf({ "transfer-encoding": "chunked" }, "POST"), "content_type_unsupported");
  assert.equal(codeOf({}, "DELETE"), undefined);
  assert.equal(codeOf({ "content-length": "0" }, "POST"), undefined);
});
