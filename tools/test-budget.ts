/**
 * The processor seconds that each part of `npm test` may use on the reference host of `host-speed.ts`. A part is a folder of
 * `test/`, or the checks. Wall time is not judged: it depends on what else the host does.
 */

/** Seconds for everything on two cores. */
export const budgetSeconds = 2 * 300;

/** A part fails if it uses more than its allowance by this share: the same work differs a little from run to run. */
export const margin = 0.3;

export const allowances: Readonly<Record<string, number>> = {
  checks: 125,
  access: 6,
  api: 25,
  client: 30,
  conformance: 18,
  doors: 5,
  engine: 9,
  fuzz: 6,
  histories: 24,
  http: 14,
  json: 3,
  locks: 16,
  machine: 6,
  mesh: 16,
  mutants: 8,
  nodes: 70,
  observe: 5,
  planning: 11,
  scenario: 140,
  simulation: 20,
  socket: 11,
  tidy: 22,
};
