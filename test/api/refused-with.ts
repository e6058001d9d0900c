import assert from "node:assert/strict";
import { HoldfastError } from "holdfast";

/** A check for `assert.rejects`: the error must be a refusal with this code. */
export function refusedWith(code: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof HoldfastError, String(error));
    assert.equal(error.code, code, error.message);
    assertDeclared(error);
    return true;
  };
}

/** The refusal with which the work must end. */
export async function refusalOf(work: Promise<unknown>): Promise<HoldfastError> {
  const result = await work.catch((error: unknown) => error);
  assert.ok(result instanceof HoldfastError, `expected a refusal, not ${JSON.stringify(result)}`);
  assertDeclared(result);
  return result;
}

/** A member with an underscore was not mapped, because the data of the problem does not declare it. */
function assertDeclared({ code, data, isWire }: HoldfastError): void {
  const undeclared = isWire ? [] : Object.keys(data).filter((name) => name.includes("_"));
  assert.deepEqual(undeclared, [], `the data of ${code} in sdk/src/contract/problem-data.ts`);
}
