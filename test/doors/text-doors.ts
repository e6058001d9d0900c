/** The doors that read text. Each sends the text of an input unchanged and returns the answer. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import { MeshAgent } from "../mesh/mesh-client.ts";
import { startNats } from "../mesh/private-nats.ts";
import { runCli } from "../scenario/cli-terminal.ts";
import { rawSocketFor } from "../socket/raw-socket.ts";
import { folderFor } from "../socket/with-server.ts";

export interface TextAnswer {
  /** The code of the refusal; undefined if the call succeeded. */
  readonly code: string | undefined;
  readonly reason: unknown;
  readonly pointer: unknown;
}

export interface TextDoor {
  readonly name: string;
  /** Creates the entity `plan/ID` with the value in the text. */
  readonly create: (id: string, value: string) => Promise<TextAnswer>;
  /** True if the whole input is one text. Otherwise parts of it are in an address or in arguments. */
  readonly isWhole: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const inputOf = (id: string, value: string): string => `{"type":"plan","id":${JSON.stringify(id)},"value":${value}}`;

function answerOf({ outcome }: Members): TextAnswer {
  const { kind, code, data } = outcome as { readonly kind: string; readonly code?: string; readonly data: Members };
  return kind === "done" ? done : { code, reason: data["reason"], pointer: data["pointer"] };
}

const done: TextAnswer = { code: undefined, reason: undefined, pointer: undefined };

export async function textDoorsFor(t: TestContext): Promise<readonly TextDoor[]> {
  const nats = await startNats();
  const data = join(await folderFor(t), ".holdfast");
  const serving = await serve({ data, host: "127.0.0.1", port: 0, nats: { servers: [nats.url] } });
  t.after(async () => {
    await serving.close();
    await nats[Symbol.asyncDispose]();
  });
  const token = (await readFile(join(data, "operator-token"), "utf8")).trim();
  return [
    ...httpDoors(serving.url),
    await socketDoor(t, serving.url),
    await natsDoor(t, nats.url, token),
    ...cliDoors(dirname(data)),
  ];
}

function httpDoors(url: string): readonly TextDoor[] {
  const post = async (path: string, body: string): Promise<{ readonly ok: boolean; readonly answer: unknown }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body });
    return { ok: response.ok, answer: await response.json() };
  };
  const problem = ({ ok, answer }: { readonly ok: boolean; readonly answer: unknown }): TextAnswer => {
    const { code, reason, pointer } = answer as { code: string; reason: unknown; pointer: unknown };
    return ok ? done : { code, reason, pointer };
  };
  const command = (id: string, value: string): string =>
    `{ "operation": "create-entity", "input": ${inputOf(id, value)}, "key": "${id}" }`;
  return [
    {
      name: "a command over HTTP",
      isWhole: true,
      create: async (id, value) => problem(await post("/v1/commands", command(id, value))),
    },
    {
      name: "one of several commands over HTTP",
      isWhole: true,
      async create(id, value) {
        const other = '{"operation":"who-am-i","input":{"owner_id":"ann"}}';
        const { answer } = await post("/v1/commands", `[${other},${command(id, value)},${other}]`);
        const [before, own, after] = answer as readonly Members[];
        if (answerOf(before!).code !== undefined || answerOf(after!).code !== undefined)
          throw new Error("the other commands of the batch fail");
        return answerOf(own!);
      },
    },
    {
      name: "an HTTP route",
      isWhole: false,
      create: async (id, value) => problem(await post("/v1/entities/plan", `{"id":"${id}","value":${value}}`)),
    },
  ];
}

async function socketDoor(t: TestContext, url: string): Promise<TextDoor> {
  const socket = await rawSocketFor(t, url);
  socket.hello();
  await socket.message("welcome");
  return {
    name: "the socket",
    isWhole: true,
    async create(id, value) {
      const ping = '{"kind":"ping","id":2}';
      const call = `{"kind":"call","id":1,"operation":"create-entity","key":"${id}","input":${inputOf(id, value)}}`;
      socket.sendRaw(`[${ping},${call},${ping}]`);
      // The pings before and after it are answered too. `message` drops the pongs.
      return answerOf(await socket.message("reply"));
    },
  };
}

async function natsDoor(t: TestContext, url: string, token: string): Promise<TextDoor> {
  const agent = await MeshAgent.connect(url);
  t.after(() => agent[Symbol.asyncDispose]());
  return {
    name: "NATS",
    isWhole: true,
    async create(id, value) {
      const headers = { Authorization: `Bearer ${token}` };
      const { data } = await agent.request("req.operation.create-entity", inputOf(id, value), headers);
      if ("outcome" in data) return answerOf(data);
      const { code, reason, pointer } = data;
      return { code: code as string, reason, pointer };
    },
  };
}

function cliDoors(folder: string): readonly TextDoor[] {
  const run = async (words: readonly string[]): Promise<TextAnswer> => {
    const { code: exit, out } = await runCli([...words, "--json"], { folder });
    if (exit === 0) return done;
    const { code, data } = JSON.parse(out) as { readonly code: string; readonly data: Members };
    return { code, reason: data["reason"], pointer: data["pointer"] };
  };
  return [
    {
      name: "holdfast run",
      isWhole: true,
      create: (id, value) => run(["run", "create-entity", inputOf(id, value)]),
    },
    {
      name: "holdfast put",
      isWhole: false,
      create: (id, value) => run(["put", `plan/${id}`, value]),
    },
  ];
}
