/** The example files for operators must name existing settings and options, and the current versions. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../server/src/config/read-config.ts";
import { clientVariables, settingNames, variableOf } from "../../server/src/config/settings.ts";
import { exitCodes } from "../../server/src/doors/cli/exit-codes.ts";
import { packageVersion } from "../../server/src/base/package-version.ts";

const examples = join(import.meta.dirname, "..", "..", "examples");
const known = [...settingNames.map(variableOf), ...Object.keys(clientVariables)];

function assertKnown(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) assert.ok(known.includes(name), `${name} is a setting`);
}

/** The lines of a section of a unit, as pairs. */
function section(unit: string, name: string): readonly (readonly [string, string])[] {
  const [, text = ""] = unit.split(`[${name}]\n`);
  const lines = (text.split(/^\[/mu)[0] ?? "").split("\n").filter((line) => /^[A-Za-z]+=/u.test(line));
  return lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
}

test("the unit for systemd starts a valid server, stores data in a writable folder, and does not restart after a permanent failure", () => {
  const unit = readFileSync(join(examples, "systemd", "holdfast.service"), "utf8");
  const service = section(unit, "Service");
  const value = (name: string): string => service.find(([key]) => key === name)?.[1] ?? assert.fail(`no ${name}`);
  const env = Object.fromEntries(
    service.filter(([key]) => key === "Environment").map(([, pair]) => pair.split("=") as [string, string]),
  );
  assertKnown(env);
  assertKnown(Object.fromEntries([...unit.matchAll(/HOLDFAST_[A-Z_]+/gu)].map(([name]) => [name, ""])));
  const { config } = readConfig({ options: {}, env, folder: "/" });
  assert.equal(config.data, `/var/lib/${value("StateDirectory")}`);
  assert.equal(value("ExecStart").split(" ").slice(1).join(" "), "holdfast up");
  const stopped: readonly number[] = value("RestartPreventExitStatus").split(" ").map(Number);
  assert.deepEqual(stopped, [exitCodes.usage, exitCodes.damaged, exitCodes.unknownHistory, exitCodes.refused]);
  assert.equal(value("KillSignal"), "SIGTERM");
});

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

test("the nodes of the compose file share a journal and the operator's token, and nothing else", () => {
  const text = readFileSync(join(examples, "compose", "compose.yaml"), "utf8");
  const { services, volumes } = parse(text, { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };
  const { database, ...nodes } = services;
  assert.match(database?.image ?? "", /^postgres:1[4-9]$/u);
  assert.ok(Object.keys(nodes).length >= 2);
  for (const [name, { environment: env, command, ports = [], volumes: mounted = [] }] of Object.entries(nodes)) {
    assertKnown(env);
    assert.ok(command?.includes(`holdfast@${packageVersion()}`), "the version of this package");
    const given = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, value.replaceAll(/\$\{[^}]*\}/gu, "x")]),
    );
    const { config } = readConfig({ options: {}, env: given, folder: "/" });
    assert.match(config.journal, /^postgres:\/\/holdfast:x@database:\d+\/holdfast$/u);
    assert.ok(config.allowed_hosts.includes(name), "the other services reach it by its name");
    // Only reachable from this host, because it is plain HTTP.
    for (const port of ports) assert.match(port, new RegExp(`^127\\.0\\.0\\.1:[0-9]+:${String(config.port)}$`, "u"));
    assert.deepEqual(mounted, [`${name}:${config.data}`]);
    assert.ok(Object.hasOwn(volumes, name));
  }
  const [one, two] = Object.values(nodes);
  assert.equal(one?.environment["HOLDFAST_OPERATOR_TOKEN"], two?.environment["HOLDFAST_OPERATOR_TOKEN"]);
});
