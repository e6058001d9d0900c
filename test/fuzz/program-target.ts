import assert from "node:assert/strict";
import { parseFunction, parseTypeDefinition } from "../../server/src/packs/programs/language/parse-functions.ts";
import { importText } from "../../server/src/packs/programs/language/import-text.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { writeFunction } from "../../server/src/packs/programs/language/write-function.ts";
import { checkAll, hash, programOf } from "../programs/program-fixture.ts";
import { ProgramWriter } from "../programs/random-program.ts";
import type { Random } from "../simulation/random.ts";
import { plainTarget } from "./fuzz-target.ts";
import { anyText, damaged } from "./fuzz-values.ts";

const words = [
  "{",
  "}",
  "(",
  ")",
  "let x = 1;",
  "if",
  "match",
  "=>",
  "..",
  "#7",
  "@f1(",
  "-",
  "1e999",
  '"\\u12',
  "/// d\n",
  "//\n",
  "list<",
  ">>",
  "result",
  "with {",
];

/** A valid text with some damage, or words in any order. */
function textFor(random: Random): string {
  if (random.chance(0.1)) return anyText(random);
  if (random.chance(0.2)) return Array.from({ length: random.below(60) }, () => random.pick(words)).join(" ");
  let text = random.pick(new ProgramWriter(random).texts(1));
  for (let count = random.below(4); count > 0; count -= 1) {
    const at = random.below(text.length + 1);
    text = random.chance(0.5) ? damaged(random, text) : `${text.slice(0, at)} ${random.pick(words)} ${text.slice(at)}`;
  }
  return text;
}

function round(random: Random): void {
  const program = programOf(["struct Point { x: i64, y: i64, }", "fn helper(x: i64) -> i64 { x }"]);
  const scope = { names: program.names, module: "m0" };
  const text = textFor(random);
  for (const { errors } of [parseFunction(text, scope), parseTypeDefinition(text, scope)]) {
    assert.ok(errors.length <= 20);
    for (const { line, column, message } of errors) assert.ok(line >= 1 && column >= 1 && message !== "");
  }
  importText(text);
  const { value } = writeFunction(text, { scope: program, module: "m0", hash });
  if (value === undefined) return;
  // A text that parses has a canonical text, which parses to the same function unless the check of its shape refuses it.
  program.set("function", "f9", value);
  const { verdict } = checkAll(program);
  const printed = functionText(value, scope);
  const again = writeFunction(printed, { scope: program, module: "m0", base: value, hash });
  if (verdict.ok) assert.deepEqual(again, { value }, printed);
}

export const programTarget = plainTarget("texts of programs", "programFuzz", round);
