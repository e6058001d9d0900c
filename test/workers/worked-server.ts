/** A real server with a worker of the workspace in this process. */
import { connect } from "holdfast";
import type { Client } from "holdfast";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import type { JobHandler } from "../../sdk/src/client/jobs/running-job.ts";
import type { ServeOptions } from "../../server/src/assembly/serve.ts";
import { runWorkspaceJob, workspaceTypes } from "../../server/src/workers/workspace/run-workspace-job.ts";
import { filesServer, operatorToken } from "../files/files-server.ts";
import type { FilesServer } from "../files/files-server.ts";

export interface WorkedServer extends AsyncDisposable {
  readonly server: FilesServer;
  /** A client of the operator over a socket, whose jobs the worker runs. */
  readonly client: Client;
  /** Sends an operation of the workspace. */
  readonly ask: (operation: string, input: JsonObject) => Promise<JsonObject>;
  /** Publishes one file as an upload of the project `p`. */
  readonly upload: (id: string, path: string, content: string | Uint8Array) => Promise<void>;
  /** The folder of a storage root. */
  readonly rootFolder: (root: string) => string | undefined;
  /** Ends the worker before the server. */
  readonly stopWorking: () => Promise<void>;
  /** Requests a job and waits for its end: its state, its result and the error of its last attempt. */
  readonly work: (operation: string, input: JsonObject) => Promise<WorkedJob>;
}

interface WorkedJob {
  readonly id: string;
  readonly state: string;
  readonly result: unknown;
  readonly error: string | undefined;
}

/** Makes the handler of the worker. By default it runs the jobs of the workspace. */
type MakeHandler = (client: Client, rootFolder: (root: string) => string | undefined) => JobHandler;

const workspaceHandler: MakeHandler = (client, rootFolder) => (job) => runWorkspaceJob(job, client, rootFolder);

interface WorkedServerOptions extends Pick<ServeOptions, "clock"> {
  readonly makeHandler?: MakeHandler;
}

export async function workedServer(options: WorkedServerOptions = {}): Promise<WorkedServer> {
  const { makeHandler = workspaceHandler, ...time } = options;
  const server = await filesServer(undefined, time);
  const client = await connect(server.url, { token: operatorToken });
  const rootFolder = (root: string): string | undefined => (root === "main" ? server.root : undefined);
  const worker = await client.jobs.work(workspaceTypes(true, ["main"]), makeHandler(client, rootFolder), { slots: 2 });
  const ask = async (operation: string, input: JsonObject): Promise<JsonObject> =>
    (await client.run(`workspace.${operation}`, input as Json)) as JsonObject;
  return {
    server,
    client,
    ask,
    rootFolder,
    stopWorking: () => worker.close(),
    async upload(id, path, content) {
      await using publish = await client.files.publish(`import/p/${id}`);
      await publish.write(path, content);
      await publish.commit();
    },
    async work(operation, input) {
      const { job } = await ask(operation, input);
      const ended = await client.jobs.wait(job as string);
      const { state, result, error } = ended as {
        state: string;
        result?: unknown;
        error?: { message?: string } | string;
      };
      return { id: job as string, state, result, error: typeof error === "string" ? error : error?.message };
    },
    async [Symbol.asyncDispose]() {
      await worker.close();
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
