/** Planning: one lookup in the order of time finds a double booking, regardless of the number of bookings. */
import { open } from "holdfast";
import type { Client } from "holdfast";
import { atMost, type Bench, type BenchOptions, format, median, spread, spreadText, table } from "./report.ts";

/** Maximum factor of time for a hundred times as many bookings: a lookup in a tree grows with the logarithm. */
const goal = 2;
const collaboratorCount = 100;
const perMission = 500;
const inFlight = 64;

/** Hour `number` since the beginning of 2000. Every booking takes one. */
const hour = (number: number): string => `${new Date(Date.UTC(2000, 0, 1, number)).toISOString().slice(0, 19)}Z`;

export const planning: Bench = async (options) => {
  const sizes = options.isQuick ? [200, 20_000] : [1_000, 100_000];
  const measured: { readonly size: number; readonly micros: readonly number[] }[] = [];
  for (const size of sizes) {
    options.report(`${format(size)} assignments …`);
    measured.push({ size, micros: await measure(size, options) });
  }
  const [small, large] = measured.map(({ micros }) => micros) as [readonly number[], readonly number[]];
  const name = `moving one of ${format(sizes[1] ?? 0)} assignments over one of ${format(sizes[0] ?? 0)}`;
  const row = atMost(name, large, small, goal);
  options.report(`\nTime to move an assignment of a planned mission, in memory, in µs\n`);
  const lines = measured.map(({ size, micros }) => [format(size), format(median(micros), 1), spread(micros, 1)]);
  options.report(table(["assignments", "median", "rounds"], lines));
  options.report(
    `\n  ratio ${row.ratio.toFixed(2)} (${spreadText(row)}), goal at most ${String(goal)}: ${row.met ? "met" : "missed"}`,
  );
  return [row];
};

async function measure(size: number, { isQuick }: BenchOptions): Promise<readonly number[]> {
  await using client = await open({ memory: true });
  const ids = await fill(client, size);
  const micros: number[] = [];
  const moves = isQuick ? 2_000 : 10_000;
  for (let round = 0; round < 7; round += 1) {
    const begin = performance.now();
    await inTurns(moves, async (number) => {
      const id = ids[(number * 7_919) % ids.length] ?? "";
      await client.planning.assignments.update(id, {
        role: `role ${String(round)}.${String(number)}`,
        ...shift(id, round),
      });
    });
    micros.push(((performance.now() - begin) * 1_000) / moves);
  }
  // The first round warms up.
  return micros.slice(1);
}

/** Alternates between the first and the second half of its hour. Each move is checked for clashes, and none has one. */
function shift(id: string, round: number): { from: string; to: string } {
  const start = hour(Number(id.slice(id.lastIndexOf("-") + 1)));
  const middle = start.replace(":00:00Z", ":30:00Z");
  const isFirst = round % 2 === 0;
  const end = hour(Number(id.slice(id.lastIndexOf("-") + 1)) + 1);
  return isFirst ? { from: start, to: middle } : { from: middle, to: end };
}

async function fill(client: Client, size: number): Promise<readonly string[]> {
  const { planning: plan } = client;
  await plan.organizations.create({ id: "o", name: "Acme" });
  await plan.projects.create({ id: "p", organizationId: "o", name: "Bridge" });
  await inTurns(collaboratorCount, (number) =>
    plan.collaborators.create({ id: `c-${String(number)}`, organizationId: "o", name: `Worker ${String(number)}` }),
  );
  const missions = Math.ceil(size / perMission);
  const range = { from: hour(0), to: hour(size + 1) };
  await inTurns(missions, (number) =>
    plan.missions.create({ id: `m-${String(number)}`, projectId: "p", name: `Mission ${String(number)}`, ...range }),
  );
  const ids = Array.from({ length: size }, (_, number) => `a-${String(number)}`);
  await inTurns(size, (number) =>
    plan.assignments.create({
      id: `a-${String(number)}`,
      missionId: `m-${String(number % missions)}`,
      collaboratorId: `c-${String(number % collaboratorCount)}`,
      role: "welder",
      from: hour(number),
      to: hour(number + 1),
    }),
  );
  await inTurns(missions, (number) => plan.missions.transition(`m-${String(number)}`, "planned"));
  return ids;
}

/** Runs a limited number at a time, so that they share batches. */
async function inTurns(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, worker));
}
