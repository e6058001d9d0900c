import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { packs } from "@holdfast/sdk/contract";
import { apiReport, apiReportPath } from "../../tools/make-api-report.ts";

/** The compiler orders unions and members by the files that it has read before. */
const inAnyOrder = (line: string): string =>
  line
    .split(/[\s;|]+/u)
    .sort()
    .join(" ");

/** The names in the braces of `export { … }` and `export type { … }`, and of exported constants. */
function exportsOf(file: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, "..", "..", file), "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gmu)].flatMap(([, names = ""]) => names.split(","));
  const constants = [...text.matchAll(/^export const (\w+)/gmu)].map(([, name = ""]) => name);
  return [...lists, ...constants].map((name) => name.trim()).filter((name) => name !== "");
}

suite("the public interface", () => {
  const { text: report, unnamed } = apiReport();

  test("the public types of the client are those of the committed report", () => {
    assert.ok(report.includes("value connect: (target?: ConnectTarget"), "the report describes the client");
    const lines = new Set(readFileSync(apiReportPath, "utf8").split("\n").map(inAnyOrder));
    const changed = report.split("\n").filter((line) => !lines.has(inAnyOrder(line)));
    assert.deepEqual(changed, [], "run node tools/make-api-report.ts, and review the change of the interface");
    assert.equal(report.split("\n").length, readFileSync(apiReportPath, "utf8").split("\n").length);
  });

  test("a program can name every type of the client and of its packs from the index", () => {
    assert.deepEqual(unnamed, []);
  });

  test("the package holdfast exports the types of the client, and the guards of every pack", () => {
    const sources = [
      "sdk/src/index.ts",
      "sdk/src/client/data/problem-guards.ts",
      ...packs.map(({ name }) => `sdk/src/client/data/${name}-guards.ts`),
    ];
    const own = new Set(exportsOf("server/src/index.ts"));
    // The clock is for programs that replace it, which only tests do.
    const missing = sources.flatMap(exportsOf).filter((name) => !own.has(name) && name !== "systemClientClock");
    assert.deepEqual(missing, []);
    assert.ok(own.has("isJobsOff") && own.has("JobsClient") && own.has("isConflict"));
  });
});
