/**
 * The processor seconds that each part of `npm test` may use on the reference host of `host-speed.ts`. A part is a folder of
 * `test/`, or the checks. Wall time is not judged: it depends on what else the host does.
 */

/**
 * Seconds for everything on two cores: 300 for the heart, locks, doors, planning and nodes, 60 for access, checks,
 * services and the client, 55 each for intents, programs and jobs.
 */
export const budgetSeconds = 2 * (300 + 60 + 55 + 55 + 55);

/** A part fails if it uses more than its allowance by this share: the same work differs a little from run to run. */
export const margin = 0.3;

export const allowances: Readonly<Record<string, number>> = {
  checks: 170,
  access: 9,
  api: 32,
  client: 55,
  conformance: 17,
  doors: 24,
  engine: 8,
  fuzz: 6,
  ground: 45,
  histories: 22,
  http: 18,
  intents: 55,
  jobs: 10,
  json: 3,
  locks: 22,
  machine: 5,
  mesh: 13,
  mutants: 12,
  nodes: 62,
  observe: 17,
  planning: 9,
  programs: 40,
  scenario: 175,
  simulation: 24,
  socket: 10,
  tidy: 28,
};
