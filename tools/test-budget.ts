/**
 * The processor seconds that each part of `npm test` may use on the reference host of `host-speed.ts`. A part is a folder of
 * `test/`, or the checks. Wall time is not judged: it depends on what else the host does.
 */

/**
 * Seconds for everything on two cores: 300 for the heart, locks, doors, planning and nodes, 60 for access, checks,
 * services and the client, 55 for intents.
 */
export const budgetSeconds = 2 * (300 + 60 + 55);

/** A part fails if it uses more than its allowance by this share: the same work differs a little from run to run. */
export const margin = 0.3;

export const allowances: Readonly<Record<string, number>> = {
  checks: 120,
  access: 5,
  api: 22,
  client: 28,
  conformance: 17,
  doors: 4,
  engine: 8,
  fuzz: 6,
  ground: 20,
  histories: 22,
  http: 12,
  intents: 8,
  json: 3,
  locks: 14,
  machine: 5,
  mesh: 13,
  mutants: 7,
  nodes: 62,
  observe: 4,
  planning: 9,
  programs: 30,
  scenario: 175,
  simulation: 16,
  socket: 10,
  tidy: 18,
};
