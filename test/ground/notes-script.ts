/** Requests of the pack of the guide, in an order in which each has an effect. */
import type { OperationInput } from "../doors/script-step.ts";

interface NotesStep {
  readonly operation: string;
  readonly input: OperationInput;
  readonly key?: string;
  /** The code of the refusal; undefined for a success. */
  readonly code?: string;
  /** Members of the reply's data. */
  readonly data?: OperationInput;
}

const [first, second] = [{ id: "b1/n1" }, { id: "b1/n2" }];
const milk = "buy milk";

export const notesScript: readonly NotesStep[] = [
  {
    operation: "notes.create",
    input: { ...first, text: milk, author: "ann" },
    data: { ...first, text: milk, author: "ann", words: 2, pinned: false },
  },
  { operation: "notes.create", input: { ...second, text: "a" }, data: { words: 1 } },
  {
    operation: "notes.update",
    input: { ...second, changes: { text: "a bbbad c" }, expected_revision: "1.1" },
    data: { words: 3 },
  },
  {
    operation: "notes.pin",
    input: { ...first, expected_revision: "1.1" },
    data: { pinned: true, words: 2, version: 2 },
  },
  {
    operation: "notes.pin",
    input: { ...first, expected_revision: "1.2" },
    code: "notes.already_pinned",
    data: { pinned_at: 4 },
  },
  {
    operation: "notes.update",
    input: { ...first, changes: { text: "x" }, expected_revision: "1.2" },
    code: "notes.lock_required",
  },
  { operation: "notes.proofread", input: first, data: { version: 2 } },
  { operation: "notes.proofread", input: second, code: "notes.misspelled", data: { faults: ["bbbad"] } },
  { operation: "notes.proofread", input: { id: "b1/n9" }, code: "entity_not_found" },
  { operation: "notes.get", input: first, data: { text: milk, words: 2 } },
  { operation: "notes.list", input: {}, data: { next: null } },
  { operation: "notes.count", input: { book: "b1" }, data: { count: 2 } },
  { operation: "notes.list-pins", input: first, data: { positions: [4] } },
  { operation: "notes.sign", input: { book: "b1", text: milk }, key: "s1", data: { is_new: true } },
  { operation: "notes.sign", input: { book: "b1", text: milk }, key: "s1", data: { is_new: false } },
  { operation: "notes.sign", input: { book: "b1", text: milk, digest: "no" }, code: "input_invalid" },
  { operation: "notes.lend", input: { ...second, reader: "ann", lend_ms: 86_400_000 }, data: { reader: "ann" } },
  {
    operation: "notes.lend",
    input: { ...second, reader: "bob", lend_ms: 1_000 },
    code: "notes.already_lent",
    data: { reader: "ann" },
  },
  { operation: "notes.lend", input: { id: "b1/n9", reader: "ann", lend_ms: 1_000 }, code: "entity_not_found" },
  { operation: "notes.end-loan", input: { note: "note/b1/n2", until: 1 }, code: "operation_unknown" },
  { operation: "notes.delete", input: { ...second, expected_revision: "1.2" }, data: { version: 3 } },
  { operation: "notes.list-loans", input: { book: "b1" }, data: { loans: [] } },
  { operation: "create-entity", input: { type: "note", id: "b1/n3", value: {} }, code: "notes.own_operations" },
];
