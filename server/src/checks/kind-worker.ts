/** Runs the check of a user's kind. Every entity is a unit of its own, which is loaded when the check reads it. */
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { KindChange, KindVerdict } from "./kind-change.ts";
import type { CheckRequest, CheckRow, CheckSteps, CheckWork } from "./check.ts";

type KindCheckFunction = (change: KindChange) => KindVerdict;

/** Maximum entities that one check reads. Each of them is compared in the decision. */
const readsMax = 1_000;

export async function createCheckWork(options: Json): Promise<CheckWork> {
  const { name, module } = options as { readonly name: string; readonly module: string };
  const { check } = (await import(module)) as { readonly check?: unknown };
  if (typeof check !== "function") throw new Error(`${module} exports no function check`);
  return kindWork(name, check as KindCheckFunction);
}

/** The work of a kind's check, apart from its module. */
export function kindWork(name: string, check: KindCheckFunction): CheckWork {
  const rows = new Map<string, CheckRow>();
  const put = (row: CheckRow): void => {
    if (rows.has(row.subject)) rows.set(row.subject, row);
  };
  return {
    load(unit, [row]) {
      rows.set(unit, row ?? { subject: unit, version: 0 });
    },
    apply(change) {
      change.rows.forEach(put);
    },
    unload(unit) {
      rows.delete(unit);
    },
    prepare: (request) => prepare(request, name, { rows, check }),
  };
}

interface KindChecker {
  readonly rows: ReadonlyMap<string, CheckRow>;
  readonly check: KindCheckFunction;
}

function* prepare({ unit, input }: CheckRequest, name: string, { rows, check }: KindChecker): CheckSteps {
  const { base, next, isMade } = input as unknown as WantedKindCheck;
  for (;;) {
    const own = rows.get(unit);
    // The entity changed after the decision that asked for this check, and the next decision asks again.
    if (own?.version !== base) return { unchecked: true };
    const reads: Record<string, number> = {};
    const missing = new Set<string>();
    const read = (type: string, id: string): Json | undefined => {
      const subject = `${type}/${id}`;
      const row = rows.get(subject);
      if (row === undefined) {
        missing.add(subject);
        throw new Error(`${subject} is being loaded; do not catch this error`);
      }
      reads[subject] = row.version;
      if (Object.keys(reads).length > readsMax) throw new Error(`it reads more than ${String(readsMax)} entities`);
      return copyOf(row.value);
    };
    let verdict: KindVerdict | undefined;
    try {
      verdict = check({ next: copyOf(next), previous: copyOf(own.value), read });
    } catch (error) {
      if (missing.size === 0) throw error;
    }
    // A module that catches the error above gives a verdict without the value.
    if (missing.size === 0)
      return evidenceOf({ check: name, base, reads }, verdict, isMade === true ? next : undefined);
    yield* missing;
  }
}

interface WantedKindCheck {
  readonly base: number;
  readonly next?: Json;
  readonly isMade?: boolean;
}

/** Only JSON is evidence, so a verdict is copied as text. */
function evidenceOf(found: JsonObject, verdict: unknown, next: Json | undefined): Json {
  const plain = copyOf(verdict as Json);
  if (!isObject(plain) || typeof plain["ok"] !== "boolean") throw new Error("check returned no {ok, errors}");
  const { ok, errors = [] } = plain;
  return next === undefined ? { ...found, ok, errors } : { ...found, ok, errors, next };
}

/** A module may change its arguments, so it gets copies. The rows must not change. */
function copyOf<Value extends Json | undefined>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}
