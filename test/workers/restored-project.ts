/** A project with records and files, its backup, and a person that requests restores. */
import assert from "node:assert/strict";
import { HoldfastError } from "holdfast";
import type { Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import type { FilesServer } from "../files/files-server.ts";
import type { WorkedServer } from "./worked-server.ts";

const take = { lock: "take" } as const;
const map = { project: "p", map: "m" } as const;
const notes = "project/p/map/m/notes";

/** The objects, the name of the project and the file. */
type ProjectState = string;

export interface RestoredProject {
  /** The state in the backup. */
  readonly whole: ProjectState;
  /** Changes records and the file, and returns the new state. */
  change(): Promise<ProjectState>;
  state(): Promise<ProjectState>;
  /** Requests the restore, which another person approves. Returns the job. */
  request(): Promise<string>;
  /** Reads after each entry while the work runs. Every state that is read must be one of these, and every refusal that of a restore. */
  read<Result>(allowed: readonly ProjectState[], work: () => Promise<Result>): Promise<Result>;
}

export async function restoredProject(worked: Pick<WorkedServer, "server" | "client" | "ask" | "work">) {
  const { server, client, ask, work } = worked;
  await fill(ask);
  await publishNote(client, "first");
  await ask("set-role", { project: "p", principal: "ann", role: "owner", ...take });
  const ann = await server.clientOf("ann", [{ verbs: ["read", "write", "lock"], under: "project/p" }]);
  const { id: backup } = await work("backup-project", { project: "p" });
  let changes = 0;
  const project: RestoredProject = {
    whole: await stateOf(client),
    async change() {
      changes += 1;
      const change = [
        { op: "delete", object: "o3" },
        { op: "put", object: "new", value: { shape: "point", points: [9, changes] } },
      ];
      await ask("change-objects", { ...map, sketch: "doors", changes: change, ...take });
      await publishNote(client, `changed ${String(changes)}`);
      return stateOf(client);
    },
    state: () => stateOf(client),
    request: () => requestRestore(server, ann, backup),
    async read(allowed, during) {
      const events = server.operator.watch({ after: await server.operator.cursor() });
      const reading = readAtEach(events, server.operator, allowed);
      try {
        return await during();
      } finally {
        await events.return?.();
        await reading;
      }
    },
  };
  return project;
}

async function fill(ask: WorkedServer["ask"]): Promise<void> {
  await ask("create-project", { project: "p", name: "House", ...take });
  await ask("create-map", { ...map, name: "Ground floor", ...take });
  for (const sketch of ["doors", "walls"]) {
    await ask("create-sketch", { ...map, sketch, name: sketch, ...take });
    const changes = Array.from({ length: 110 }, (_none, index) => ({
      ...{ op: "put", object: `o${String(index)}`, value: { shape: "point", points: [index, 1] } },
    }));
    await ask("change-objects", { ...map, sketch, changes, ...take });
  }
}

async function publishNote(client: Client, text: string): Promise<void> {
  await using publish = await client.files.publish(notes);
  await publish.write("a.txt", text);
  await publish.commit();
}

/** One read of the objects, and one of the file under a lock. */
async function stateOf(client: Client): Promise<ProjectState> {
  const objects = await objectsOf(client);
  await using _lock = await client.acquire({ path: "project/p/map/m", mode: "read" });
  return `${objects} ${Buffer.from(await client.files.read(notes, "a.txt")).toString()}`;
}

async function objectsOf(client: Client): Promise<string> {
  const { items } = (await client.run("workspace.list-objects", { ...map, limit: 1_000, ...take } as never)) as {
    items: readonly JsonObject[];
  };
  return JSON.stringify(items.map(({ sketch, object, points }) => [sketch, object, points]));
}

/** The codes of a reader that meets a restore: its lock, or its mark. */
const refusals = ["workspace.restoring", "lock_denied"];

/** Reads after each entry. The client of the operator does not retry: a reader that waits sees less. */
async function readAtEach(events: AsyncIterable<unknown>, client: Client, allowed: readonly ProjectState[]) {
  for await (const _event of events) {
    try {
      const seen = await objectsOf(client);
      const isWhole = allowed.some((state) => state.startsWith(`${seen} `));
      assert.ok(isWhole, `half of a restore was read: ${seen}`);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      assert.ok(refusals.includes(error.code), error.message);
    }
  }
}

/** Requests a restore as ann. The operator approves it. */
export async function requestRestore(server: FilesServer, ann: Client, backup: string): Promise<string> {
  const asAnn = async (operation: string, input: JsonObject): Promise<JsonObject> =>
    (await ann.run(`workspace.${operation}`, { project: "p", ...input })) as JsonObject;
  const { approval } = await asAnn("request-approval", { action: "restore-project", parameters: { backup } });
  const decided = await server.request("POST", `/v1/workspace/projects/p/approvals/${approval as string}/decide`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "approve" }),
  });
  assert.equal(decided.status, 200, await decided.text());
  const { job } = await asAnn("restore-project", { backup, approval: approval as string });
  return job as string;
}
