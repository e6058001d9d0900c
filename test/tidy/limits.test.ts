import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNumbers, problems } from "@holdfast/sdk/contract";
import { settingNames } from "../../server/src/config/settings.ts";
import { featuresOf } from "../../server/src/assembly/open.ts";
import { allLimits } from "../../tools/limits-reference.ts";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

const texts = filesUnder("test", ".ts")
  .filter(({ path }) => path !== "test/tidy/limits.test.ts")
  .map(({ text }) => text);

/** Members of a refusal that count what it does not list. */
const counts: ReadonlySet<string> = new Set(["holders_total", "clash_count"]);

test("every limit of the page names a problem, a setting and a test that exist [X15]", () => {
  const ofSpace = ["state_bytes_max", "paths_per_principal_max", "idempotency_window_ms"];
  const known = new Set<string>([...settingNames, ...ofSpace, ...Object.keys(defaultNumbers)]);
  assertNone(
    allLimits.flatMap(({ group, name, beyond, setting, test: title }) => {
      const codes = [...beyond.matchAll(/`([a-z_.]+)`/gu)].map(([, code = ""]) => code);
      const isProblem = (code: string): boolean => Object.hasOwn(problems, code) || counts.has(code);
      return [
        ...codes.filter((code) => !isProblem(code)).map((code) => `${group} ${name}: no problem ${code}`),
        ...(setting === undefined || known.has(setting) ? [] : [`${group} ${name}: no setting ${setting}`]),
        ...(title === undefined || texts.some((text) => text.includes(title))
          ? []
          : [`${group} ${name}: no test ${title}`]),
      ];
    }),
  );
});

test("every table of the machine declares what bounds its rows [X15]", () => {
  const tables = featuresOf([]).flatMap((feature) => feature.tables);
  assert.ok(tables.length >= 16);
  assertNone(tables.filter(({ boundedBy }) => boundedBy === undefined).map(({ name }) => `${name} has no boundedBy`));
});
