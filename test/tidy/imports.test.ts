import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cruise } from "./cruise.ts";
import { assertNone } from "./phrases.ts";
import { plant, planted, unreachable } from "./planted-imports.ts";
import { projectFiles, root } from "./tree.ts";

test("the check of imports sees every module", () => {
  const seen = new Set(cruise(root).modules.map(({ source }) => source));
  const modules = projectFiles.map(({ path }) => path).filter((path) => /^(sdk|server)\/src\/.*\.ts$/.test(path));
  assert.ok(modules.length > 0);
  assertNone(modules.filter((path) => !seen.has(path)));
});

test("every rule about imports catches its planted example", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-imports-"));
  t.after(() => rmSync(folder, { recursive: true }));
  plant(folder);
  const { violations, ruleSetUsed } = cruise(folder).summary;

  const expected = [...planted, unreachable].flatMap(({ file, rules }) => rules.map((rule) => `${file}: ${rule}`));
  const found = new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`));
  assertNone(expected.filter((finding) => !found.has(finding)));

  const proven = new Set([...planted, unreachable].flatMap(({ rules }) => rules));
  assertNone(ruleSetUsed.forbidden.map(({ name }) => name).filter((name) => !proven.has(name)));
});
