import Type from "typebox";
import { operation } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { OperationRun } from "../../server/src/app/calls/app-operation.ts";
import { appOperationOf } from "../../server/src/app/calls/app-operations.ts";
import { servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { operationRecord } from "../../server/src/operations/operation-record.ts";
import { registryOf } from "../../server/src/operations/registry.ts";
import { operatorSecret } from "../access/gated-node.ts";
import { doorsOfServices } from "../doors/doors-of-services.ts";
import { StoredFiles } from "./stored-files.ts";

interface FileInput {
  readonly name: string;
}

const input = Type.Object({ name: Type.String({ pattern: "^[a-z]+$" }) }, { additionalProperties: false });
const touches = ({ name }: FileInput) => ({ paths: [`file/${name}`] });
const path = "/v1/test-files/{name}";
const shared = { input, problems: [], example: { name: "a" } } as const;
const stored = Type.Object({ bytes: Type.Integer(), hash: Type.String() });
const writes = [{ verbs: ["write"], touches }] as const;

/** Stores its body. It states a bound of its own. */
export const storeFile = operation({
  ...{ ...shared, name: "store-file", kind: "write", summary: "Stores bytes.", output: stored, rights: writes },
  routes: [{ method: "PUT", path, status: 200 }],
  body: "binary",
  bodyBytesMax: 2 * 1024 ** 3,
});

/** The same with the default bound of 8 MiB. */
const storeSmallFile = operation({
  ...{ ...shared, name: "store-small-file", kind: "write", summary: "Stores bytes.", output: stored, rights: writes },
  routes: [],
  body: "binary",
});

/** Answers with the bytes of a file. */
export const readFile = operation({
  ...{ ...shared, name: "read-file", kind: "read", summary: "Reads bytes.", output: Type.Object({}) },
  rights: [{ verbs: ["read"], touches }],
  routes: [{ method: "GET", path, status: 200 }],
  answer: "stream",
});

/** A server with operations that store and read files, behind the gate and the doors of the product. */
export async function streamDoor() {
  await using opened = new AsyncDisposableStack();
  const files = opened.use(await StoredFiles.make());
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()) });
  const plain = servicesOf(engine);
  const store: OperationRun = { at: "now", run: ({ name }: FileInput, { body }) => files.store(name, body) };
  const read: OperationRun = { at: "now", run: ({ name }: FileInput) => files.read(name) };
  const record = (each: Operation, run: OperationRun) => appOperationOf(operationRecord(each), { run });
  const added = [record(storeFile, store), record(storeSmallFile, store), record(readFile, read)];
  const operations = registryOf([...plain.operations.all, ...added]);
  const { inside, reports, url } = opened.use(await doorsOfServices({ ...plain, operations }));
  const closing = opened.move();
  return {
    ...{ files, inside, reports, url },
    fetch: (where: string, init: RequestInit & { readonly duplex?: "half" } = {}) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${operatorSecret}`);
      return fetch(url + where, { ...init, headers });
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Chunks of one size, made as they are asked for. */
export async function* chunksOf(bytes: number, size = 64 * 1024): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = Buffer.alloc(size, "holdfast ");
  for (let left = bytes; left > 0; left -= size) yield left >= size ? chunk : chunk.subarray(0, left);
}
