/** The cost of deciding about intents, in the machine alone. */
import { machineRunner } from "./machine-runner.ts";
import { atMost, below, format, median, type BenchOptions, type Row } from "./report.ts";

type Runner = ReturnType<typeof machineRunner>;

const bridges = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `b${index}` }));

function create(run: Runner, id: string): void {
  run("intents.create", { id, payload: { chairs: 2 } });
}

/** Starts a run of an intent under its lock. Returns the fence. */
function startRun(run: Runner, id: string, bridgeCount: number): string {
  const lock = run("acquire-lock", { paths: [`intent/${id}`], ttl_seconds: 3_600, owner_id: `worker-${id}` });
  const fence = lock.outcome.data["fence"] as string;
  run("intents.run", { id, fence, pipeline: "orders", bridges: bridges(bridgeCount) });
  return fence;
}

/** The median of many status updates with this many intents. */
function updateUs(count: number): number {
  const run = machineRunner();
  for (let index = 0; index < count; index += 1) create(run, `i${index}`);
  const us: number[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    us.push(run("intents.transition", { id: `i${index}`, to: "normalized" }).us);
  }
  return median(us.slice(200));
}

/** The median of many releases of a lock that has nothing to do with intents, with this many locks of intents. */
function releaseUs(lockCount: number, areRunning: boolean): number {
  const run = machineRunner();
  for (let index = 0; index < lockCount; index += 1) {
    create(run, `i${index}`);
    if (areRunning) startRun(run, `i${index}`, 4);
    else run("acquire-lock", { paths: [`intent/i${index}`], ttl_seconds: 3_600, owner_id: `worker-i${index}` });
  }
  const us: number[] = [];
  for (let index = 0; index < 2_000; index += 1) {
    const { outcome } = run("acquire-lock", { paths: [`doc/${index}`], ttl_seconds: 60, owner_id: "o" });
    us.push(run("release-lock", { fence: outcome.data["fence"], owner_id: "o" }).us);
  }
  return median(us.slice(500));
}

/** The slowest kind of decision at its limit, each the median of its repetitions, in milliseconds. */
function slowestMs(): number {
  const run = machineRunner();
  create(run, "corrected");
  const correct = (number: number): number => {
    const hex = String(number).padStart(12, "0");
    const correction_id = `00000000-0000-8000-8000-${hex}`;
    const input = { id: "corrected", diff: { price: number }, source: "bench", reason: "a new price", correction_id };
    return run("intents.reevaluate", input).us;
  };
  const corrections = Array.from({ length: 999 }, (_, index) => correct(index));
  create(run, "long");
  const fence = startRun(run, "long", 64);
  const steps = Array.from({ length: 63 }, (_, index) => {
    const step = { id: "long", fence, run: 1, step: `b${index}`, outcome: "done", changes: { [`f${index}`]: index } };
    return run("intents.advance", step).us;
  });
  const repeated = (work: () => number): number => median(Array.from({ length: 9 }, work));
  const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
  for (const id of ids) create(run, id);
  let price = 0;
  const many = repeated(() => run("intents.update-many", { ids, changes: { price: (price += 1) } }).us);
  const kinds = [median(corrections.slice(-50)), median(steps.slice(-9)), many];
  return Math.max(...kinds) / 1_000;
}

/** Both in turn, round after round. */
function inRounds(rounds: number, ours: () => number, peer: () => number): readonly [number[], number[]] {
  const figures: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const pair = [ours(), peer()] as const;
    // The first round warms up.
    if (round >= 0) for (const [index, figure] of pair.entries()) figures[index]?.push(figure);
  }
  return figures;
}

export function decisionRows({ isQuick }: BenchOptions): readonly Row[] {
  const rounds = isQuick ? 3 : 7;
  const [most, runs] = isQuick ? [20_000, 2_000] : [100_000, 10_000];
  const updates = inRounds(
    rounds,
    () => updateUs(most),
    () => updateUs(1_000),
  );
  const releases = inRounds(
    rounds,
    () => releaseUs(runs, true),
    () => releaseUs(runs, false),
  );
  const slowest = inRounds(rounds, slowestMs, () => 1);
  return [
    atMost(`status update at ${format(most)} intents over 1,000, µs of deciding`, ...updates, 1.3),
    atMost(`release of a lock with ${format(runs)} live runs over as many locks without runs, µs`, ...releases, 1.3),
    below("the slowest decision at every limit, ms over 1", ...slowest, 1),
  ];
}
