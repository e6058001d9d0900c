import assert from "node:assert/strict";
import type { Transport } from "@holdfast/sdk";
import type { DoorTransport } from "@holdfast/sdk/door-transport";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";

/** The transport of a door, for tests that pass values. Canonicalizes the input, as a door does when it parses text. */
export function checkedTransport(door: DoorTransport): Transport {
  return {
    call(operation, input, options) {
      const canonical = canonicalValue(input, inputLimits);
      assert.ok(canonical.ok, JSON.stringify(input));
      return door.call(operation, canonical.value, { ...options, inputBytes: canonical.bytes });
    },
    watch: (options) => door.watch(options),
    notices: (options) => door.notices(options),
    cursor: () => door.cursor(),
    close: () => door.close(),
  };
}
