/**
 * The processor seconds that each part of `npm test` may use on the reference host of `host-speed.ts`. A part is a folder of
 * `test/`, or the checks. Wall time is not judged: it depends on what else the host does.
 */

/**
 * Seconds for everything on two cores: 300 for the heart, locks, doors, planning and nodes, 60 for access, checks,
 * services and the client. Intents, programs and jobs have 55 each, files 18, the workspace 10, and its workers 15.
 */
export const budgetSeconds = 2 * (300 + 60 + 55 + 55 + 55 + 18 + 10 + 15);

/** A part fails if it uses more than its allowance by this share: the same work differs a little from run to run. */
export const margin = 0.3;

export const allowances: Readonly<Record<string, number>> = {
  checks: 180,
  access: 7,
  api: 29,
  client: 50,
  conformance: 21,
  doors: 9,
  engine: 8,
  files: 36,
  fuzz: 7,
  ground: 25,
  histories: 26,
  http: 28,
  intents: 45,
  jobs: 38,
  json: 3,
  locks: 17,
  machine: 5,
  mesh: 22,
  mutants: 6,
  nodes: 95,
  observe: 9,
  planning: 12,
  programs: 30,
  scenario: 235,
  simulation: 23,
  socket: 16,
  tidy: 26,
  workers: 52,
  workspace: 22,
};
