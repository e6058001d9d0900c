import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../server/src/observe/log.ts";
import type { LogFields, LogOptions } from "../../server/src/observe/log.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import { observedNode } from "./observed-node.ts";

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function logOn(options: Partial<LogOptions> = {}) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = openLog({ level: "debug", format: "json", write: (line) => lines.push(line), clock, ...options });
  return { log, lines, clock };
}

test("the log line of a refused call contains principal, operation, code, door, duration and trace", async () => {
  await using node = await observedNode();
  await node.execute("get-entity", { type: "plan", id: "1" }, { trace });
  const [line] = node.lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  const { time, duration_ms, ...fields } = line!;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
  assert.equal(typeof duration_ms, "number");
  assert.deepEqual(fields, {
    ...{ level: "debug", event: "call.refused", message: "call.refused", door: "http", principal: "ann" },
    ...{ operation: "get-entity", code: "entity_not_found", position: 0 },
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  });
});

test("values and secrets that a caller sends never reach the log", async () => {
  await using node = await observedNode();
  const secret = "hunter2-in-the-clear";
  await node.execute("create-entity", { type: "plan", id: "1", value: { secret } });
  await node.execute("create-entity", { type: "plan", id: "1", value: { secret } });
  await node.execute("heartbeat", { token: secret }, { agent: "unknown", agentSecret: secret, key: secret });
  await node.execute("create-entity", { [secret]: 1 });
  assert.ok(node.lines.length >= 3);
  assert.ok(!node.lines.join("\n").includes(secret));
});

test("the log redacts tokens, secrets, headers and inputs that code passes by mistake", () => {
  const { log, lines } = logOn();
  const token = "hfo_AbCdEfGh12345678";
  const mistake = { token, agentSecret: "s3cr3t", headers: { authorization: token }, input: { a: 1 } } as LogFields;
  log.write("warn", "mistake", { ...mistake, reason: `Authorization: Bearer ${token} was rejected` });
  log.write("error", "problem", { message: `x-agent-secret=${"ab".repeat(32)} and token: ${token}` });
  const text = lines.join("\n");
  assert.equal(lines.length, 2);
  for (const secret of [token, "s3cr3t", "ab".repeat(32), '"a":1']) assert.ok(!text.includes(secret), text);
  assert.ok(text.includes("[removed]"));
});

test("the log writes a repeated line ten times per minute, and then the number of suppressed lines", () => {
  const { log, lines, clock } = logOn();
  const again = (): void => {
    log.write("warn", "call.refused", { operation: "acquire-lock", code: "not_allowed" });
  };
  for (let index = 0; index < 100; index += 1) again();
  assert.equal(lines.length, 10);
  log.write("warn", "call.refused", { operation: "acquire-lock", code: "overloaded" });
  assert.equal(lines.length, 11, "another code is another kind");
  clock.advance(60_000);
  again();
  assert.equal(lines.length, 13);
  assert.equal((JSON.parse(lines[11]!) as { repeated: number }).repeated, 90);
});

test("the log level selects the lines, and text from a caller cannot start a new line", () => {
  const quiet = logOn({ level: "warn" });
  quiet.log.write("info", "up", {});
  quiet.log.write("warn", "caller.rejected", {});
  assert.equal(quiet.lines.length, 1);
  const formatted = logOn({ format: "lines" });
  formatted.log.write("warn", "call.refused", { operation: "x\u001b[31m\nfake line", code: "not_allowed" });
  assert.equal(formatted.lines.length, 1);
  assert.match(
    formatted.lines[0]!,
    /^\d\d:\d\d:\d\d warn {2}call\.refused operation=x \[31m fake line code=not_allowed$/u,
  );
});
