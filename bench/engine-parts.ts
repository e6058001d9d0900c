/**
 * The cost of each step of a command, measured on the real parts, without the engine's waits between them. The steps
 * run in the engine's order, batch by batch, on the same load.
 */
import { randomUUID } from "node:crypto";
import { systemIds } from "../server/src/base/ids.ts";
import { openSqliteJournal } from "../server/src/journal/sqlite/open.ts";
import { createIndexTail } from "../server/src/journal/index-tail.ts";
import type { Head } from "../server/src/journal/journal.ts";
import { genesis, seal } from "../server/src/journal/seal.ts";
import { canonicalValue } from "../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../sdk/src/json/input-limits.ts";
import type { Command, Entry } from "../server/src/machine/entry.ts";
import { machineOf } from "../server/src/assembly/open.ts";
import { firstValue, idOf, mergeOf } from "./engine-load.ts";

export interface Part {
  readonly name: string;
  readonly us: number;
}

interface Plan {
  readonly batchSize: number;
  readonly durationMs: number;
  readonly isHalfKeyed: boolean;
}

const names = ["canonical", "decide", "seal", "append", "index"] as const;

export async function engineParts(folder: string, plan: Plan): Promise<readonly Part[]> {
  const journal = await openSqliteJournal({ folder, startedAt: "now" });
  const machine = machineOf([]);
  const index = createIndexTail();
  const spentMs = { canonical: 0, decide: 0, seal: 0, append: 0, index: 0 };
  let head: Head = genesis;
  let number = 0;
  let entryCount = 0;

  function canonical(isFilling: boolean): Command {
    number += 1;
    const entity = { type: "task", id: idOf(number) };
    const input = isFilling ? { ...entity, value: firstValue(number) } : { ...entity, merge: mergeOf(number) };
    const made = canonicalValue(input, inputLimits);
    if (!made.ok) throw new Error(made.fault.reason);
    const key = plan.isHalfKeyed && number % 2 === 0 && !isFilling ? { key: `00000000-0000-4000-8000-${number}` } : {};
    const operation = isFilling ? "create-entity" : "patch-entity";
    return { id: randomUUID(), operation, principal: "local", ...key, input: made.value };
  }

  function decide(commands: readonly Command[]): readonly Entry[] {
    const time = Date.now();
    const entries: Entry[] = [];
    for (const command of commands) {
      const place = { position: head.position + entries.length + 1, time, grace: false, prior: undefined };
      const { entry } = machine.decide(command, place);
      if (entry !== undefined) entries.push(entry);
    }
    machine.settle();
    return entries;
  }

  async function batch(size: number, isFilling: boolean): Promise<void> {
    const marks = [performance.now()];
    const commands = Array.from({ length: size }, () => canonical(isFilling));
    marks.push(performance.now());
    const entries = decide(commands);
    marks.push(performance.now());
    const sealed = seal(entries, head, systemIds.salts(entries.length));
    marks.push(performance.now());
    await journal.append(sealed);
    marks.push(performance.now());
    index.add(entries);
    marks.push(performance.now());
    head = sealed.head;
    if (isFilling) return;
    entryCount += entries.length;
    for (const [at, name] of names.entries()) spentMs[name] += (marks[at + 1] ?? 0) - (marks[at] ?? 0);
  }

  await batch(1_000, true);
  const endMs = performance.now() + plan.durationMs;
  while (performance.now() < endMs) await batch(plan.batchSize, false);
  await journal.close();
  // The journal's append also adds to its index. The cost of the index is measured separately.
  spentMs.append -= spentMs.index;
  return names.map((name) => ({ name, us: (spentMs[name] * 1_000) / entryCount }));
}
