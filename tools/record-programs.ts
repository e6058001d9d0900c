/** A history of one program with every operation that changes it, with refusals and with evidence, for a fixture. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "../sdk/src/json/json.ts";
import type { Command, Outcome } from "../server/src/machine/entry.ts";
import type { StateReader } from "../server/src/machine/state.ts";
import { currentHash, findItem } from "../server/src/packs/programs/program-value.ts";

/** Records a history: decides one command after another, with the evidence of its check. */
interface ProgramRecorder {
  readonly entries: readonly { readonly position: number }[];
  readonly state: StateReader;
  decideChecked(command: Omit<Command, "id">): Outcome;
  pass(durationMs: number): void;
}

/** More edits than versions between two whole values of an entity. */
const editCount = 70;

const clamp = (low: string): string => `/// Keeps x between low and high.
pub fn clamp(x: i64, low: i64, high: i64) -> i64
  requires low <= high
  ensures result >= low and result <= high
{
  // the common case last
  if x < ${low} { ${low} } else if x > high { high } else { x }
}
`;
const types = [
  'pub struct Account { id: i64, balance: i64, invariant balance >= 0 "no debt" }',
  "pub enum Order { Pay(i64), Close }",
];
const apply = `pub fn apply(account: Account, order: Order) -> option<Account> {
  match order {
    Order.Pay(amount) => if amount >= 0 and amount <= account.balance {
      some(account with { balance: account.balance - amount })
    } else {
      none
    },
    Order.Close => none,
  }
}`;
const sum = `fn sum(xs: list<i64>) -> i64 {
  var amount: i64 = 0;
  for x in xs { amount = amount +% x; }
  clamp(amount, -1000, 1000)
}`;

export function recordPrograms(recorder: ProgramRecorder): void {
  const scene = new ProgramScene(recorder);
  scene.building();
  scene.refusals();
  scene.nodes();
  scene.edits();
  scene.undoing();
  scene.conflicts();
  scene.structure();
  scene.importing();
  scene.ending();
}

class ProgramScene {
  readonly #recorder: ProgramRecorder;
  readonly #ann: string;
  readonly #bob: string;
  #keyCount = 0;

  constructor(recorder: ProgramRecorder) {
    this.#recorder = recorder;
    this.#ann = this.#send("register-agent", { own_key: "ann", inactivity_seconds: 3_600 })["agent_id"] as string;
    this.#bob = this.#send("register-agent", { own_key: "bob", inactivity_seconds: 3_600 })["agent_id"] as string;
  }

  /** A command with a key, so that refusals are recorded too. */
  #send(operation: string, input: JsonObject, agent?: string): JsonObject {
    const key = `programs-${String((this.#keyCount += 1))}`;
    const author = defined({ agent });
    const { data } = this.#recorder.decideChecked({ operation, principal: "fixture", key, input, ...author });
    return data;
  }

  #hashes(ids: readonly string[], program = "ledger"): JsonObject {
    const hashOf = (id: string): Json =>
      currentHash(this.#recorder.state, program, `${id.startsWith("t") ? "type" : "function"}/${id}`) ?? "";
    return Object.fromEntries(ids.map((id) => [id, hashOf(id)]));
  }

  #mutate(agent: string, steps: readonly JsonObject[], more: JsonObject = {}): JsonObject {
    const ids = steps.flatMap((step) => [step["function_id"] ?? step["type_id"] ?? []].flat() as string[]);
    const isNew = (step: JsonObject): boolean =>
      (step["type"] as string).startsWith("add_") && step["type"] !== "add_edge";
    const expected_hashes = this.#hashes(steps.every(isNew) ? [] : ids);
    const input = { program_id: "ledger", mutations: [...steps], expected_hashes, ...more };
    return this.#send("programs.mutate", input, agent);
  }

  #lock(agent: string, ids: readonly string[], mode = "write"): void {
    const paths = ids.map((id) => `program/ledger/function/${id}`);
    this.#send("acquire-lock", { paths, mode, ttl_seconds: 3_600 }, agent);
  }

  #release(agent: string, paths: readonly string[]): void {
    this.#send("release-lock", { paths: [...paths] }, agent);
  }

  building(): void {
    this.#send("programs.create", { program_id: "ledger", name: "Ledger" }, this.#ann);
    this.#mutate(this.#ann, [
      ...types.map((text) => ({ type: "add_type", text })),
      { type: "add_module", module_id: "billing", name: "billing" },
      { type: "add_function", text: clamp("low") },
      { type: "add_function", text: apply },
      { type: "add_function", text: sum },
    ]);
    this.#send("programs.update", { program_id: "ledger", changes: { description: "money" } }, this.#ann);
  }

  refusals(): void {
    const set = { type: "set_function", function_id: "f1", text: clamp("low - 1") };
    this.#mutate(this.#bob, [set]);
    this.#lock(this.#ann, ["f1"]);
    this.#mutate(this.#ann, [set]);
    this.#mutate(this.#ann, [{ ...set, text: "pub fn clamp(" }]);
    this.#mutate(this.#ann, [{ ...set, function_id: "f9" }]);
    this.#mutate(this.#ann, [set], { expected_hashes: {} });
    this.#mutate(this.#bob, [{ type: "rename_function", function_id: "f1", name: "limit" }]);
  }

  nodes(): void {
    this.#mutate(this.#ann, [{ type: "set_conditions", function_id: "f1", ensures: ["result >= low"] }]);
    this.#mutate(this.#ann, [{ type: "change_signature", function_id: "f1", total: true }]);
    const at = { in: 0, region: "body", index: 0 };
    const node = { op: "assert", attributes: [null], inputs: [{ op: "le", inputs: [2, 3] }] };
    this.#mutate(this.#ann, [{ type: "insert_node", function_id: "f1", node, at }]);
    this.#mutate(this.#ann, [{ type: "remove_edge", function_id: "f1", to: 12, port: 0 }]);
  }

  edits(): void {
    for (let edit = 0; edit < editCount; edit += 1) {
      const text = clamp("low").replace("the common case last", `the common case last, edition ${String(edit)}`);
      this.#mutate(this.#ann, [{ type: "set_function", function_id: "f1", text }]);
    }
  }

  undoing(): void {
    const before = this.#value();
    const edit = { type: "set_function", function_id: "f1", text: clamp("low").replace("last", "at the end") };
    const { position: edited = 0 } = this.#mutate(this.#ann, [edit]);
    const after = this.#value();
    const { position: undone = 0 } = this.#restore("undo", edited, before);
    this.#restore("undo", edited, before);
    this.#restore("redo", undone, after);
  }

  #value(): Json {
    return findItem(this.#recorder.state, "ledger", "function/f1") as unknown as Json;
  }

  #restore(side: "undo" | "redo", mutation: Json, value: Json): JsonObject {
    const restored = [{ item: "function/f1", value }];
    const input = { program_id: "ledger", mutation, expected_hashes: this.#hashes(["f1"]), restored };
    return this.#send(`programs.${side}`, input, this.#ann);
  }

  conflicts(): void {
    const stale = { expected_hashes: { f1: "0".repeat(64) } };
    const edit = { type: "set_function", function_id: "f1", text: clamp("low") };
    for (let attempt = 0; attempt < 8; attempt += 1) this.#mutate(this.#ann, [edit], stale);
    this.#recorder.pass(601_000);
    this.#mutate(this.#ann, [edit], { release: true });
  }

  structure(): void {
    this.#lock(this.#bob, ["f2"]);
    const account = { type: "set_type", type_id: "t1", text: types[0]?.replace("no debt", "no debts") ?? "" };
    this.#mutate(this.#ann, [account]);
    this.#release(this.#bob, ["program/ledger/function/f2"]);
    this.#mutate(this.#ann, [account]);
    this.#lock(this.#ann, ["f1", "f3"]);
    this.#mutate(this.#ann, [{ type: "rename_function", function_id: "f1", name: "limit" }]);
    this.#mutate(this.#ann, [{ type: "move_function", function_id: "f3", module_id: "billing" }]);
    this.#mutate(this.#ann, [{ type: "remove_function", function_id: "f3" }], { release: true });
    this.#mutate(this.#ann, [{ type: "add_function", function_id: "f3", text: sum.replace("clamp", "limit") }]);
  }

  importing(): void {
    this.#send("programs.create", { program_id: "copy", name: "Copy" }, this.#bob);
    const text = `@id("f7")\n${clamp("low")}`;
    this.#send("programs.import", { program_id: "copy", text }, this.#bob);
    this.#send("programs.import", { program_id: "copy", text }, this.#bob);
  }

  ending(): void {
    this.#send("programs.delete", { program_id: "copy", expected_version: 2 }, this.#bob);
    this.#send("acquire-lock", { paths: ["program/copy"], ttl_seconds: 3_600 }, this.#bob);
    this.#send("programs.delete", { program_id: "copy", expected_version: 2 }, this.#bob);
    const input = { program_id: "copy" };
    this.#recorder.decideChecked({ operation: "programs.remove-items", principal: "holdfast", input });
    this.#send("end-agent", { reason: "done" }, this.#ann);
  }
}
