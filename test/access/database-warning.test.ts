import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "holdfast";
import { databaseWarning } from "../../server/src/assembly/database-warning.ts";

const remote = "postgres://holdfast:secret@db.internal:6543/holdfast";

test("a node warns about a database on another host whose connection is not encrypted or not verified, without its password [X14]", () => {
  for (const query of ["", "?sslmode=disable", "?sslmode=allow", "?sslmode=prefer", "?sslmode=no-verify", "?ssl=0"]) {
    const warning = databaseWarning(`${remote}${query}`) ?? assert.fail(`no warning for ${query}`);
    assert.match(warning, /db\.internal:6543\/holdfast with.*sslmode=verify-full/u);
    assert.doesNotMatch(warning, /secret/u);
  }
  assert.match(databaseWarning("postgres://u@[2001:db8::1]/holdfast") ?? "", /without TLS/u);
  assert.match(databaseWarning("postgres://u@base/holdfast?host=10.0.0.7") ?? "", /without TLS/u);
  for (const query of ["?sslmode=verify-full", "?ssl=true"])
    assert.equal(databaseWarning(`${remote}${query}`), undefined);
});

test("a node does not warn about a database on its own host", () => {
  for (const host of ["localhost", "127.0.0.1:5433", "[::1]", "%2Fvar%2Frun%2Fpostgresql", ""]) {
    assert.equal(databaseWarning(`postgres://holdfast@${host}/holdfast`), undefined, host);
  }
});

test("a node does not warn about an address that the driver refuses, because the start reports the reason", () => {
  assert.equal(databaseWarning("postgres://db.internal/x?sslrootcert=/no/such/file"), undefined);
});

test("the warning about a database is reported before the connection is made [X14]", async () => {
  const reported: string[] = [];
  // No database listens on port 1.
  const opening = open({ journal: "postgres://u@0.0.0.0:1/x" }, { report: (message) => reported.push(message) });
  await assert.rejects(opening, /ECONNREFUSED|cannot/u);
  assert.match(reported.join(), /0\.0\.0\.0:1\/x without TLS/u);
});
