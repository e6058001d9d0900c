import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { childEnvironment, downloadEnvironment, testEnvironment } from "./child-environment.ts";
import { execChild, execChildSync, spawnChildSync } from "./spawn-child.ts";

const forTests = { HOLDFAST_TEST_POSTGRES: "postgres://127.0.0.1:1/x", npm_config_cache: "/home/ann/.npm" };

/** Variables that a user may have set. */
const user = {
  ...forTests,
  PATH: "/usr/bin",
  HOME: "/home/ann",
  HOLDFAST_URL: "http://127.0.0.1:1",
  HOLDFAST_TOKEN: "secret",
  NATS_URL: "nats://127.0.0.1:1",
  NODE_OPTIONS: "--no-warnings",
  PGHOST: "127.0.0.1",
};

test("a child process gets the path, an empty home and what the test adds, and no other variable [X12]", () => {
  const { HOME: home = "", ...env } = childEnvironment({ HOLDFAST_PORT: "0" }, user);
  assert.deepEqual(env, { PATH: user.PATH, HOLDFAST_PORT: "0" });
  assert.deepEqual(readdirSync(home), []);
});

test("the process that runs the tests also gets the variables for tests, and npm also gets the home [X12]", () => {
  const { HOME: home, ...env } = testEnvironment({}, user);
  assert.deepEqual(env, { PATH: user.PATH, ...forTests });
  assert.notEqual(home, user.HOME);
  const { PATH, HOME, npm_config_cache } = user;
  assert.deepEqual(downloadEnvironment({}, user), { PATH, HOME, npm_config_cache });
});

test("a child of a run with a mutant loads the mutant", () => {
  const planted = { HOLDFAST_MUTANT: "name", NODE_OPTIONS: "--import=plant.ts" };
  const { HOME: _home, ...env } = childEnvironment({}, { ...user, ...planted });
  assert.deepEqual(env, { PATH: user.PATH, ...planted });
});

test("every way to start a process gives it the clean environment [X12]", async () => {
  const program = [process.execPath, ["-p", "JSON.stringify(process['env'])"]] as const;
  const options = { encoding: "utf8", env: { HOLDFAST_PORT: "0" } } as const;
  const outputs = [
    (await execChild(...program, options)).stdout,
    execChildSync(...program, options),
    spawnChildSync(...program, options).stdout,
  ];
  for (const output of outputs) assert.deepEqual(JSON.parse(output), childEnvironment(options.env));
});
