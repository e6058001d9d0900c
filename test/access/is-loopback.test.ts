/** Addresses that count as this host. Callers from these addresses may need no token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback } from "../../server/src/access/is-loopback.ts";

const rows: readonly (readonly [address: string | undefined, isLoopback: boolean])[] = [
  ["127.0.0.1", true],
  ["127.0.0.53", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:7f00:1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["126.255.255.255", false],
  ["128.0.0.1", false],
  ["::2", false],
  ["::ffff:10.0.0.1", false],
  ["::ffff:0.0.0.0", false],
  ["fe80::1", false],
  ["localhost.example", false],
  ["127.0.0.1.example", false],
  ["127.", false],
  ["127.1", false],
  ["127.0.0.256", false],
  ["127.0.0.1:4700", false],
  ["", false],
  [undefined, false],
];

for (const [address, expected] of rows)
  test(`isLoopback returns ${String(expected)} for ${address === undefined ? "an unknown address" : JSON.stringify(address)}`, () => {
    assert.equal(isLoopback(address), expected);
  });
