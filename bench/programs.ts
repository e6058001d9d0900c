/** Programs: the cost of a verified mutation over that of a plain write, and its effect on other callers. */
import { HoldfastError } from "holdfast";
import type { Client } from "holdfast";
import { startBlake3 } from "../server/src/base/blake3.ts";
import { checkTypes } from "../server/src/packs/programs/language/check/types.ts";
import { mainModule } from "../server/src/packs/programs/language/function-value.ts";
import { hashFunction } from "../server/src/packs/programs/language/hash.ts";
import { allNodes } from "../server/src/packs/programs/language/node.ts";
import { graphOf } from "../server/src/packs/programs/language/pack.ts";
import { ProgramRows } from "../server/src/packs/programs/language/program-scope.ts";
import { writeFunction } from "../server/src/packs/programs/language/write-function.ts";
import { runLoad } from "./load.ts";
import { programBytes } from "./program-bytes.ts";
import { addFunctions, FunctionEditor, leafText, openProgramNode } from "./program-node.ts";
import type { ProgramNode } from "./program-node.ts";
import { atLeast, atMost, type Bench, type BenchOptions, format, rowTable, type Row } from "./report.ts";

const agentCount = 32;

export const programs: Bench = async (options) => {
  const sizes = options.isQuick ? ([100, 1_000] as const) : ([100, 10_000] as const);
  const rows: Row[] = [];
  options.report(`${agentCount} agents on ${agentCount} functions of programs with ${sizes.join(" and ")} functions …`);
  await using node = await openProgramNode();
  const small = await editedProgram(node, "small", sizes[0]);
  const large = await editedProgram(node, "large", sizes[1]);
  rows.push(...(await throughput(node, { small, large, sizes }, options)));
  options.report("a leaf with 20 callers, and the whole program …");
  rows.push(await leafCheck(node, options));
  options.report("functions that share eight callers …");
  rows.push(await sharedCallers(node, options));
  options.report("reads under writers …");
  rows.push(await readsUnderWriters(node, small, options));
  options.report("other commands during checks of about a second …");
  rows.push(...(await duringLongChecks(node, options)));
  options.report("hashes, and the heap …");
  rows.push(await hashing(options));
  rows.push(atMost("heap bytes of a node on the main thread", await programBytes(), 60, 1));
  options.report(`\n${rowTable(rows, 2)}`);
  return rows;
};

/** Hashes of a changed function over the check of its types, without caches, in one thread. */
async function hashing(options: BenchOptions): Promise<Row> {
  const hash = await startBlake3();
  const scope = new ProgramRows();
  scope.set("module", mainModule, { kind: "module", name: "main", parent: null });
  const times = { hash: [] as number[], types: [] as number[] };
  for (let round = 0; round < roundsOf(options) + 1; round += 1) {
    const graphs = Array.from({ length: options.isQuick ? 500 : 5_000 }, (_, edition) => {
      const { value } = writeFunction(leafText("leaf", edition), { scope, module: mainModule, hash });
      if (value === undefined) throw new Error("the text of a leaf is wrong");
      return graphOf(value);
    });
    const begin = performance.now();
    for (const graph of graphs) hashFunction(graph, hash);
    const middle = performance.now();
    for (const graph of graphs) checkTypes(scope, graph, allNodes(graph));
    // The first round warms up.
    if (round === 0) continue;
    times.hash.push(middle - begin);
    times.types.push(performance.now() - middle);
  }
  return atMost("hashing a changed function over its check of types", times.hash, times.types, 0.5);
}

interface EditedProgram {
  readonly program: string;
  readonly editors: readonly FunctionEditor[];
}

const named = (node: ProgramNode, index: number): Client => node.client.agent({ name: `agent-${index}` });

async function editedProgram(node: ProgramNode, program: string, size: number): Promise<EditedProgram> {
  await node.client.programs.create({ programId: program, name: program });
  const author = await registered(node);
  const texts = Array.from({ length: size }, (_, index) => leafText(`leaf_${index}`, 0));
  const ids = await addFunctions(author, program, texts);
  return { program, editors: await editorsOf(node, program, ids.slice(0, agentCount)) };
}

/** A client with an agent of its own, which a change without a lock needs. */
async function registered(node: ProgramNode): Promise<Client> {
  const { agentId, secret } = await node.client.agents.register({ name: "author" });
  return node.client.as({ agentId, secret });
}

function editorsOf(node: ProgramNode, program: string, ids: readonly string[]): Promise<readonly FunctionEditor[]> {
  return Promise.all(
    ids.map((id, index) =>
      new FunctionEditor(named(node, index), { program, id }, (edition) => leafText(`leaf_${index}`, edition)).start(),
    ),
  );
}

const durationOf = ({ isQuick }: BenchOptions): number => (isQuick ? 500 : 3_000);
const roundsOf = ({ isQuick }: BenchOptions): number => (isQuick ? 2 : 5);
const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? NaN : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

interface Compared {
  readonly small: EditedProgram;
  readonly large: EditedProgram;
  readonly sizes: readonly [number, number];
}

async function throughput(node: ProgramNode, { small, large, sizes }: Compared, options: BenchOptions) {
  const { engine } = node;
  // The peers are the same agents, which write the same text without a check.
  const agents = Array.from({ length: agentCount }, (_, index) => named(node, index));
  await Promise.all(
    agents.map((agent, index) => agent.entities.create("text", String(index), { text: leafText(`leaf_${index}`, 0) })),
  );
  let edition = 0;
  const replace = (worker: number) => {
    edition += 1;
    return (agents[worker] ?? node.client).entities.replace("text", String(worker), {
      text: leafText(`leaf_${worker}`, edition),
    });
  };
  const editWith =
    ({ editors }: EditedProgram) =>
    async (worker: number): Promise<void> => {
      await editors[worker]?.edit();
    };
  const figures = { plain: [] as number[], small: [] as number[], large: [] as number[], rounds: [] as number[] };
  for (let round = 0; round < roundsOf(options) + 1; round += 1) {
    const plain = await runLoad(agentCount, durationOf(options), async (worker) => {
      await replace(worker);
    });
    node.takeRounds();
    const ofSmall = await runLoad(agentCount, durationOf(options), editWith(small));
    const checked = mean(node.takeRounds());
    const ofLarge = await runLoad(agentCount, durationOf(options), editWith(large));
    // The first round warms up.
    if (round === 0) continue;
    figures.plain.push(plain.perSecond);
    figures.small.push(ofSmall.perSecond);
    figures.large.push(ofLarge.perSecond);
    figures.rounds.push(checked);
  }
  const position = (await small.editors[0]?.edit()) ?? 0;
  const { position: written } = await replace(0);
  const [mutation, plainEntry] = await engine.entriesAt([position, written]);
  const ones = figures.rounds.map(() => 1);
  return [
    atLeast("mutations/s over replace-entity/s of the same text", figures.small, figures.plain, 0.1),
    atLeast(`mutations/s at ${format(sizes[1])} functions over ${format(sizes[0])}`, figures.large, figures.small, 0.7),
    atMost("rounds of checking per accepted mutation", figures.rounds, ones, 1.1),
    atMost("journal bytes of a mutation over replace-entity", bytesOf(mutation), bytesOf(plainEntry), 2),
  ];
}

const bytesOf = (entry: unknown): number => JSON.stringify(entry).length;

/** A leaf with 20 transitive callers, in a program of a thousand functions (10,000 if it is not quick). */
async function leafCheck(node: ProgramNode, options: BenchOptions): Promise<Row> {
  const program = "large";
  const author = await registered(node);
  const chain = Array.from({ length: 20 }, (_, index) => {
    const callee = index === 0 ? "leaf_40" : `caller_${index - 1}`;
    return `pub fn caller_${index}(x: i64) -> i64 ensures result >= 0 { ${callee}(x${index === 0 ? ", 1" : ""}) }`;
  });
  const leaf = (await node.client.programs.listFunctions(program, { moduleId: "m0", name: "leaf_40", limit: 1 }))
    .items[0];
  if (leaf === undefined) throw new Error("the program has no leaf_40");
  await using _lock = await author.acquire({ path: `program/${program}/function/${leaf.functionId}`, mode: "read" });
  await addFunctions(author, program, chain);
  const checks: number[] = [];
  const verifies: number[] = [];
  for (let round = 0; round < roundsOf(options) + 1; round += 1) {
    const text = leafText("leaf_40", round + 1);
    const begin = performance.now();
    await node.client.programs.checkMutation(program, {
      mutations: [{ type: "set_function", functionId: leaf.functionId, text }],
    });
    const middle = performance.now();
    await node.client.programs.verify(program);
    checks.push(middle - begin);
    verifies.push(performance.now() - middle);
  }
  return atMost("check of a leaf with 20 callers over programs.verify", checks.slice(1), verifies.slice(1), 0.02);
}

/** 32 functions, and eight callers that each call all of them. */
async function sharedCallers(node: ProgramNode, options: BenchOptions): Promise<Row> {
  const program = "shared";
  await node.client.programs.create({ programId: program, name: program });
  const author = await registered(node);
  const leaves = Array.from({ length: agentCount }, (_, index) => leafText(`leaf_${index}`, 0));
  const ids = await addFunctions(author, program, leaves);
  const paths = ids.map((id) => ({ path: `program/${program}/function/${id}`, mode: "read" as const }));
  const lock = await author.acquire(paths);
  const calls = leaves.map((_, index) => `leaf_${index}(x, ${index})`).join(" +% ");
  const callers = Array.from(
    { length: 8 },
    (_, index) => `pub fn all_${index}(x: i64) -> i64 ensures result >= 0 { ${calls} }`,
  );
  await addFunctions(author, program, callers);
  await lock.release();
  const editors = await editorsOf(node, program, ids);
  const rounds: number[] = [];
  let refusals = 0;
  for (let round = 0; round < roundsOf(options); round += 1) {
    node.takeRounds();
    await runLoad(agentCount, durationOf(options), async (worker) => {
      // A check that is stale in each of its rounds is refused. The agent sends its change again.
      await editors[worker]?.edit().catch((error: unknown) => {
        if (!(error instanceof HoldfastError) || !error.code.startsWith("check_")) throw error;
        refusals += 1;
      });
    });
    rounds.push(mean(node.takeRounds()));
  }
  options.report(`  ${format(refusals)} mutations were refused because their check was contended or too late`);
  return atMost(
    "rounds of checking with eight callers shared by all",
    rounds,
    rounds.map(() => 1),
    2,
  );
}

async function readsUnderWriters(node: ProgramNode, { program, editors }: EditedProgram, options: BenchOptions) {
  const read = async (): Promise<void> => {
    await node.client.programs.getFunction(program, { functionId: "f40" });
  };
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < roundsOf(options); round += 1) {
    idle.push((await runLoad(1, durationOf(options), read)).p95);
    const writers = runLoad(agentCount, durationOf(options), async (worker) => {
      await editors[worker]?.edit();
    });
    busy.push((await runLoad(1, durationOf(options), read)).p95);
    await writers;
  }
  return atMost("p95 of get-function under 32 writers over idle", busy, idle, 1.5);
}

/** Its cases take nearly all the steps that a case may take. */
const slowText = (edition: number): string => `pub fn slow(x: i64) -> i64
  ensures result >= 0
{
  var i: i64 = ${edition % 100};
  while i < 12000 { i = i + 1; }
  i
}
`;

async function duringLongChecks(node: ProgramNode, options: BenchOptions): Promise<readonly Row[]> {
  const program = "slow";
  await node.client.programs.create({
    programId: program,
    name: program,
    settings: { cases: 200, steps: 1_000_000_000 },
  });
  const author = await registered(node);
  const [slowId = "", smallId = ""] = await addFunctions(author, program, [slowText(0), leafText("leaf_0", 0)]);
  const slow = await new FunctionEditor(named(node, 0), { program, id: slowId }, slowText).start();
  const small = await new FunctionEditor(named(node, 1), { program, id: smallId }, (edition) =>
    leafText("leaf_0", edition),
  ).start();
  const others = Array.from({ length: agentCount }, (_, index) => named(node, 100 + index));
  const other = async (worker: number): Promise<void> => {
    const agent = others[worker] ?? node.client;
    await using _lock = await agent.acquire(`note/${worker}`);
    await agent.entities.replace("note", String(worker), { at: performance.now() }).catch(async () => {
      await agent.entities.create("note", String(worker), {});
    });
  };
  const edit = async (): Promise<void> => {
    await small.edit();
  };
  const measured = {
    others: [] as number[],
    othersIdle: [] as number[],
    same: [] as number[],
    sameIdle: [] as number[],
  };
  const checkMs: number[] = [];
  await other(0);
  for (let round = 0; round < roundsOf(options); round += 1) {
    measured.othersIdle.push((await runLoad(agentCount, 2 * durationOf(options), other)).p95);
    measured.sameIdle.push((await runLoad(1, durationOf(options), edit)).p95);
    const stop = repeatUntilStopped(async () => {
      const begin = performance.now();
      await slow.edit();
      checkMs.push(performance.now() - begin);
    });
    measured.others.push((await runLoad(agentCount, 2 * durationOf(options), other)).p95);
    measured.same.push((await runLoad(1, durationOf(options), edit)).p95);
    await stop();
  }
  options.report(`  the long checks took ${format(mean(checkMs) / 1_000, 2)} s each`);
  return [
    atMost(
      "p95 of acquire and replace-entity during long checks over without",
      measured.others,
      measured.othersIdle,
      1.3,
    ),
    atMost("p95 of small mutations of the same program during long checks", measured.same, measured.sameIdle, 2),
  ];
}

/** Repeats work in the background. The returned function waits for the end of the last run. */
function repeatUntilStopped(work: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) await work();
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}
