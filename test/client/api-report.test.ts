import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { apiReport, apiReportPath } from "../../tools/make-api-report.ts";

/** The compiler orders unions and members by the files that it has read before. */
const inAnyOrder = (line: string): string =>
  line
    .split(/[\s;|]+/u)
    .sort()
    .join(" ");

test("the public types of the client are those of the committed report", () => {
  const report = apiReport();
  assert.ok(report.includes("value connect: (target?: ConnectTarget"), "the report describes the client");
  const lines = new Set(readFileSync(apiReportPath, "utf8").split("\n").map(inAnyOrder));
  const changed = report.split("\n").filter((line) => !lines.has(inAnyOrder(line)));
  assert.deepEqual(changed, [], "run node tools/make-api-report.ts, and review the change of the interface");
  assert.equal(report.split("\n").length, readFileSync(apiReportPath, "utf8").split("\n").length);
});
