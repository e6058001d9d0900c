/** A history with every kind of command, decided by a real machine. The same seed gives the same history. */
import { keyScope } from "../../server/src/machine/entry.ts";
import type { Command, Entry } from "../../server/src/machine/entry.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { machineOf } from "../../server/src/assembly/open.ts";
import { ticketKind } from "./ticket-kind.ts";

export function sampleMachine(): Machine {
  return machineOf([ticketKind]);
}

/** A small generator (mulberry32). Test data must be the same on every host. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function sampleHistory(seed: number, commandCount: number): readonly Entry[] {
  const random = randomOf(seed);
  const machine = sampleMachine();
  const entries: Entry[] = [];
  const keyed = new Map<string, Entry>();
  for (let index = 0; index < commandCount; index += 1) {
    const command = sampleCommand(random, index);
    const scope = keyScope(command);
    const { entry } = machine.decide(command, {
      position: entries.length + 1,
      time: 1_000_000 + index * 10,
      grace: random(10) === 0,
      prior: scope === undefined ? undefined : keyed.get(scope),
    });
    machine.settle();
    if (entry === undefined) continue;
    entries.push(entry);
    if (scope !== undefined) keyed.set(scope, entry);
  }
  return entries;
}

function sampleCommand(random: (below: number) => number, index: number): Command {
  const { operation, input } = sampleWish(random, index);
  const agent = random(3) === 0 ? { agent: `agent-${String(random(3))}` } : {};
  const key = random(4) === 0 ? { key: `key-${String(random(30))}` } : {};
  return {
    id: `command-${String(index)}`,
    operation,
    principal: `person-${String(random(3))}`,
    ...agent,
    ...key,
    input,
  };
}

function sampleWish(random: (below: number) => number, index: number): { operation: string; input: Json } {
  const target = { type: "document", id: `d/${String(random(6))}` };
  const expected = random(2) === 0 ? { expected_version: random(8) } : {};
  const value = {
    title: `title ${String(index)}`,
    10: "ten",
    9: "nine",
    tags: ["a", "b", index],
    nested: { deep: [index] },
  };
  switch (random(8)) {
    case 0:
    case 1:
      return { operation: "create-entity", input: { ...target, value } };
    case 2:
      return { operation: "replace-entity", input: { ...target, value, ...expected } };
    case 3:
      return { operation: "delete-entity", input: { ...target, ...expected } };
    case 4:
      return {
        operation: "patch-entity",
        input: { ...target, patch: [{ op: "add", path: "/tags/-", value: index }], ...expected },
      };
    case 5:
      return { operation: "close-ticket", input: { id: "t", reason: `reason ${String(index)}` } };
    case 6:
      return { operation: "create-entity", input: { type: "ticket", id: "t", value: { title: "x", status: "open" } } };
    default:
      return {
        operation: "patch-entity",
        input: { ...target, merge: { title: `merged ${String(index)}`, 9: null }, ...expected },
      };
  }
}
