import assert from "node:assert/strict";
import type { Transport } from "@holdfast/sdk";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { callOnce } from "../../server/src/operations/call.ts";
import type { Calls } from "../../server/src/operations/call.ts";
import { unknownOperation } from "../../server/src/operations/unknown-operation.ts";

const operations = appOperations([]);

/** The calls of a door as a transport, for tests that pass names and values. A door resolves and parses them too. */
export function checkedTransport(calls: Calls): Transport {
  return {
    call(operation, input, options) {
      const canonical = canonicalValue(input, inputLimits);
      assert.ok(canonical.ok, JSON.stringify(input));
      const record = operations.find(operation) ?? unknownOperation(operation);
      return callOnce(calls, { record, input: canonical.value, options: { ...options, inputBytes: canonical.bytes } });
    },
    watch: (options) => calls.watch(options),
    notices: (options) => calls.notices(options),
    cursor: () => calls.cursor(),
    close: () => calls.close(),
  };
}

/** A transport that a test scripts, as the calls of a door. */
export function scriptedCalls({ call, ...rest }: Transport): Calls {
  return {
    ...rest,
    submit(calls) {
      for (const { record, input, options, answer, fail } of calls) {
        void call(record.name, input, options).then(answer, fail);
      }
    },
  };
}
