/** A reporter of Node's test runner that counts, for `npm test`: results, failures and the time of each file. */
import { writeSync } from "node:fs";
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { reportDescriptor } from "./process-usage.ts";

export interface TestTally {
  readonly passed: number;
  readonly failed: number;
  /** The failed tests, each with its file. */
  readonly failures: readonly string[];
  /** Wall seconds of each file. */
  readonly fileSeconds: Readonly<Record<string, number>>;
}

/** Suites are not counted. A test that was cancelled has failed. */
async function* testTally(events: AsyncIterable<TestEvent>): AsyncGenerator<never, void> {
  const failures: string[] = [];
  const fileSeconds: Record<string, number> = {};
  let passed = 0;
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const file = relative(process.cwd(), data.file ?? "");
    if (data.nesting === 0) fileSeconds[file] = (fileSeconds[file] ?? 0) + data.details.duration_ms / 1_000;
    if (data.details.type === "suite") continue;
    if (type === "test:pass") passed += 1;
    else if (data.todo === undefined) failures.push(`${file}: ${data.name}`);
  }
  const tally: TestTally = { passed, failed: failures.length, failures, fileSeconds };
  writeSync(reportDescriptor, `${JSON.stringify({ tally })}\n`);
}

export default testTally;
