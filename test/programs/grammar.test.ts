import assert from "node:assert/strict";
import { test } from "node:test";
import { grammarText } from "../../server/src/packs/programs/language/grammar-text.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { checkAll, functionOf, programOf } from "./program-fixture.ts";

/** Words, numbers and signs: an upper estimate of the tokens of a language model. */
const tokenCount = (text: string): number => [...text.matchAll(/\w{1,8}|[^\s\w]{1,2}/gu)].length;

test("the grammar has at most 1,500 tokens, and its examples are accepted in the canonical layout", () => {
  assert.ok(tokenCount(grammarText) <= 1_500, String(tokenCount(grammarText)));
  const examples = grammarText
    .slice(grammarText.indexOf("/// Keeps"))
    .split(/\n\n(?=\S)/u)
    .map((text) => text.trim());
  const program = programOf(examples);
  assert.deepEqual(checkAll(program).diagnostics, []);
  const functions = examples.filter((text) => /^(\/\/\/[^\n]*\n)?(pub )?fn/u.test(text));
  for (const [index, text] of functions.entries())
    assert.equal(
      functionText(functionOf(program, `f${index + 1}`), { names: program.names, module: "m0" }).trim(),
      text,
    );
});
