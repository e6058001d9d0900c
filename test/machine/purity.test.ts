import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { sampleHistory, sampleMachine } from "./sample-history.ts";

interface Patch {
  readonly owner: object;
  readonly name: string;
}

/** A time as text is pure. A date without a time reads the clock. */
class GivenDate extends Date {
  constructor(...time: readonly number[]) {
    if (time.length === 0) throw new Error("Date was touched");
    super(...(time as [number]));
  }

  static override now(): number {
    throw new Error("Date was touched");
  }
}

/** Globals that could make two executions of one history differ. */
const impure: readonly Patch[] = [
  { owner: globalThis, name: "performance" },
  { owner: globalThis, name: "Intl" },
  { owner: globalThis, name: "crypto" },
  { owner: globalThis, name: "setTimeout" },
  { owner: globalThis, name: "setImmediate" },
  { owner: globalThis, name: "queueMicrotask" },
  { owner: Math, name: "random" },
  { owner: crypto, name: "randomUUID" },
  { owner: crypto, name: "randomBytes" },
  { owner: crypto, name: "createHash" },
  { owner: crypto, name: "hash" },
  { owner: process, name: "env" },
  { owner: process, name: "hrtime" },
  { owner: String.prototype, name: "localeCompare" },
  { owner: Number.prototype, name: "toLocaleString" },
];

/** Runs a function while each of these globals throws on access. */
function withoutImpurity<Result>(run: () => Result): Result {
  const saved = impure.map(({ owner, name }) => ({ owner, name, was: Object.getOwnPropertyDescriptor(owner, name) }));
  const clock = Object.getOwnPropertyDescriptor(globalThis, "Date") as PropertyDescriptor;
  Object.defineProperty(globalThis, "Date", { ...clock, value: GivenDate });
  for (const { owner, name } of impure) {
    Object.defineProperty(owner, name, {
      configurable: true,
      get: () => {
        throw new Error(`${name} was touched`);
      },
    });
  }
  try {
    return run();
  } finally {
    Object.defineProperty(globalThis, "Date", clock);
    for (const { owner, name, was } of saved) if (was !== undefined) Object.defineProperty(owner, name, was);
  }
}

test("a patched global throws as soon as it is read", () => {
  assert.throws(() => withoutImpurity(() => Math.random()), /random was touched/);
  assert.throws(() => withoutImpurity(() => new Date()), /Date was touched/);
  assert.throws(() => withoutImpurity(() => Date.now()), /Date was touched/);
  assert.throws(() => withoutImpurity(() => process.env["HOME"]), /env was touched/);
});

test("deciding and folding are independent of clock, randomness, crypto, Intl and environment [M3]", () => {
  const history = withoutImpurity(() => sampleHistory(3, 600));
  assert.ok(history.length > 300);
  const machine = sampleMachine();
  withoutImpurity(() => {
    for (const entry of history) machine.fold(entry);
    return [...machine.dump()].length;
  });
  assert.ok([...machine.dump()].length > 3);
});
