import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

/** Code that takes a name apart or compares it. The record of an operation says what a layer needs to know. */
const inferences = [/endsWith\("-/u, /=== "register-agent"/u, /operation\.indexOf\("-"\)/u];

const found = (text: string): boolean => inferences.some((inference) => inference.test(text));

test("no code infers anything from the spelling of an operation", () => {
  const sources = [...filesUnder("sdk/src", ".ts"), ...filesUnder("server/src", ".ts")];
  assertNone(
    sources.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => (found(line) ? [`${path}:${index + 1} infers from a name: ${line.trim()}`] : [])),
    ),
  );
});

test("the rule about the spelling of operations catches its examples", () => {
  const examples = ['name.endsWith("-entity")', 'if (name === "register-agent")', 'operation.indexOf("-")'];
  assert.deepEqual(
    examples.filter((example) => !found(example)),
    [],
  );
});
