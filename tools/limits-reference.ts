/**
 * The page of all limits, from the objects that hold them. A limit without a row does not compile.
 * `test/tidy/limits.test.ts` fails if a row names a test, a problem or a setting that does not exist.
 */
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { defaultAccessLimits } from "../server/src/access/limits.ts";
import { noteLimits } from "../server/src/access/refusal-notes.ts";
import { planningLimits } from "../server/src/packs/planning/planning-limits.ts";
import { batchCharactersMax } from "../server/src/journal/batch-line.ts";
import { pageBytesMax } from "../server/src/app/reads/subject-history.ts";
import { checkLimits } from "../server/src/checks/check-limits.ts";
import { featuresOf } from "../server/src/assembly/open.ts";
import { engineLimits } from "../server/src/engine/limits.ts";
import { agentLimits } from "../server/src/features/agents/agent-table.ts";
import { lockLimits } from "../server/src/features/locks/tables/settings.ts";
import { spaceRow, spaceTable } from "../server/src/features/space/space-table.ts";
import { tokenLimits } from "../server/src/features/tokens/token-table.ts";
import { State } from "../server/src/machine/state.ts";
import { imageLimits } from "../server/src/workers/workspace/image-message.ts";
import { partLimits } from "../server/src/app/packs/files/part-limits.ts";
import { doorLimits } from "./door-limits.ts";
import { intentLimits } from "./intent-limits.ts";
import { jobsLimits, noticesLimits } from "./job-limits.ts";
import type { LimitGroup, LimitRow, Row, Rows } from "./limit-row.ts";

const access: Rows<typeof defaultAccessLimits> = {
  callsPerSecond: {
    bounds: "calls a second of one agent, or of a connection without an agent",
    beyond: "`rate_limited`",
    setting: "calls_per_second",
    test: "a caller that exceeds its rate limit is refused with the time to retry, after a burst of twice the rate",
  },
  principalCallsPerSecond: {
    bounds: "calls a second of one principal",
    beyond: "`rate_limited`",
    setting: "principal_calls_per_second",
    test: "each agent has its own rate limit, and all tokens of one principal share one",
  },
  watchesMax: {
    bounds: "watches of one principal, event streams and long polls included",
    beyond: "`rate_limited`",
    setting: "watches_max",
    test: "a principal has a maximum of open watches, and a watch that ends frees its slot",
  },
  agentsMax: {
    bounds: "registered agents of one principal",
    beyond: "`rate_limited`",
    setting: "agents_max",
    test: "a principal has a maximum of agents, also within the second in which the count is cached",
  },
  connectionWatchesMax: {
    bounds: "watches of one connection without a token",
    beyond: "`rate_limited`",
    setting: "connection_watches_max",
    test: "one connection without a token has its own limits of agents and watches, and cannot use up the others' [X15]",
  },
  connectionAgentsMax: {
    bounds: "registered agents of one connection without a token",
    beyond: "`rate_limited`",
    setting: "connection_agents_max",
    test: "one connection without a token has its own limits of agents and watches, and cannot use up the others' [X15]",
  },
  connectionsPerAddressMax: {
    bounds: "connections of one address",
    beyond: "the longest idle one is closed; if all are busy, the new one is",
    setting: "connections_per_address_max",
    test: "a new connection replaces the one of its address that has been idle for the longest time [X15]",
  },
  connectionsMax: {
    bounds: "connections of all addresses",
    beyond: "an idle one is closed; if all are busy, the new one is",
    setting: "connections_max",
    test: "an idle connection of any address makes room for a new address at the limit of all connections [X15]",
  },
};

const notes: Rows<typeof noteLimits> = {
  notesMax: {
    bounds: "recorded refusals of one principal, and failed authentications at one door, in a minute",
    beyond: "only counted, and reported with the next recorded one",
    test: "a failed authentication is recorded with its door and code, at a limited rate, and without any part of the token [X14 X15]",
  },
  periodMs: "pace",
  principalsMax: { bounds: "principals with such a count", beyond: "all counts start again" },
};

const input: Rows<typeof inputLimits> = {
  depthMax: {
    bounds: "nested containers of an input",
    beyond: "`input_malformed`",
    test: "parseJson refuses 100,000 levels without overflowing the stack, for any limit",
  },
  bytesMax: {
    bounds: "bytes of an input",
    beyond: "`input_malformed`",
    test: "a value that is too deep, too large or has too many members is refused",
  },
  membersMax: {
    bounds: "members and elements of an input",
    beyond: "`input_malformed`",
    test: "canonicalValue stops at its member limit when shared parts would expand exponentially",
  },
  nameLengthMax: {
    bounds: "characters of a member's name",
    beyond: "`input_malformed`",
    test: "canonicalValue refuses a value above a limit and accepts a value at the limit",
  },
};

type EngineBound =
  | "batchCommandsMax"
  | "batchBytesMax"
  | "queueCommandsMax"
  | "queueBytesMax"
  | "deadlineMs"
  | "recentEntriesMax"
  | "recentBytesMax"
  | "pageEntriesMax"
  | "pageBytesMax";

/** The other numbers of the engine pace its own work. */
const engine: Readonly<Record<EngineBound, Row>> = {
  batchCommandsMax: {
    bounds: "commands of a batch",
    beyond: "the next batch has them",
    test: "a batch holds at most a thousand commands",
  },
  batchBytesMax: { bounds: "bytes of a batch", beyond: "the next batch has them" },
  queueCommandsMax: {
    bounds: "commands in the queue of a node",
    beyond: "`overloaded`",
    test: "a full queue refuses new commands immediately with a retry delay, and loses no queued command",
  },
  queueBytesMax: { bounds: "bytes in the queue of a node", beyond: "`overloaded`" },
  deadlineMs: {
    bounds: "milliseconds that a command may wait for its decision",
    beyond: "`deadline_passed`",
    test: "a command whose deadline has passed is refused and not decided",
  },
  recentEntriesMax: { bounds: "entries in memory", beyond: "older ones are read from the journal" },
  recentBytesMax: { bounds: "bytes of these entries", beyond: "older ones are read from the journal" },
  pageEntriesMax: { bounds: "entries of a page for a subscriber", beyond: "the next page has them" },
  pageBytesMax: { bounds: "bytes of such a page", beyond: "the next page has them" },
};

const locks: Rows<typeof lockLimits> = {
  pathsPerOwnerMax: {
    bounds: "paths that an owner holds and waits for",
    beyond: "`lock_limit`",
    test: "the end of a family fits its entries, because descendants and paths per owner are limited [G1]",
  },
  ticketsPerOwnerMax: {
    bounds: "tickets of an owner",
    beyond: "`lock_limit`",
    test: "an owner has a maximum of tickets, and a cancelled ticket frees its slot [X15]",
  },
  requestsMax: {
    bounds: "requests that share a lock or a ticket and can be withdrawn",
    beyond: "the oldest one cannot be withdrawn",
    test: "a lock keeps its last requests, and an older one that shares it cannot be withdrawn [X13 X15]",
  },
  releaseRequestsMax: {
    bounds: "open release requests of a lock",
    beyond: "the oldest one is removed",
    test: "a lock shows its newest release request, and keeps at most sixteen [X15]",
  },
  eventsPerEntryMax: {
    bounds: "events after which an entry starts nothing more",
    beyond: "the next entries continue",
    test: "the end of a family with too many locks for one entry continues in the next entries and grants it nothing [G1]",
  },
  termsBytesMax: {
    bounds: "bytes of metadata, purpose and note of a lock together",
    beyond: "`input_invalid`",
    test: "metadata, purpose and note of a lock have 4 KiB together, also when a renewal changes the note [X15]",
  },
  ticketMs: { bounds: "milliseconds that a ticket lives without a renewal", beyond: "it is cancelled" },
  missedMax: {
    bounds: "missed grants that an agent is shown",
    beyond: "the oldest is forgotten",
    test: "an agent is shown its last ten missed grants, and its end removes them [X5]",
  },
  acceptMs: {
    bounds: "milliseconds to accept a granted ticket, unless the request has `accept_seconds`",
    beyond: "the next ticket gets the lock",
    test: "a grant that its waiter does not accept within ten seconds is passed to the next waiter [X5]",
  },
  namedMax: {
    bounds: "holders that a denial names",
    beyond: "`holders_total` counts the others",
    test: "a denial names the ten earliest holders that it finds and the total number of holders [G4 M7]",
  },
  countedMax: {
    bounds: "places, holders and blockers that are counted",
    beyond: "the count means `or more`",
    test: "a place counts each set ahead once, ignores other queues, and falls as earlier tickets leave [X5 G4]",
  },
};

const agents: Rows<typeof agentLimits> = {
  descendantsMax: {
    bounds: "agents of a family",
    beyond: "`agent_limit`",
    test: "the end of a family fits its entries, because descendants and paths per owner are limited [G1]",
  },
};

const tokens: Rows<typeof tokenLimits> = {
  tokensMax: {
    bounds: "tokens of a space",
    beyond: "`token_limit`",
    test: "a space has a maximum of tokens, and a revoked token frees its slot [X15]",
  },
  expiresInSeconds: "pace",
};

const { settings } = spaceRow(new State([spaceTable]));
type SpaceBound = "state_bytes_max" | "paths_per_principal_max" | "idempotency_window_ms";

const space: Readonly<Record<SpaceBound, Row>> = {
  state_bytes_max: {
    bounds: "bytes of the state of a space: the quota",
    beyond: "`space_full`",
    setting: "state_bytes_max",
    test: "a full space refuses new locks, tickets, agents and tokens, and still renews, releases and ends [X15]",
  },
  paths_per_principal_max: {
    bounds: "paths that all owners of a principal hold and wait for",
    beyond: "`lock_limit`",
    setting: "paths_per_principal_max",
    test: "the owners of a principal share one limit of paths, held and waited for, that an operator sets [X15]",
  },
  idempotency_window_ms: {
    bounds: "milliseconds that an idempotency key is remembered",
    beyond: "`idempotency_key_expired`",
    setting: "idempotency_window_ms",
    test: "a used key returns the first outcome, and is refused with another input or after its window [M4]",
  },
};

const reads: Readonly<Record<"pageBytesMax", Row>> = {
  pageBytesMax: {
    bounds: "characters of a page of entities or of a history",
    beyond: "the next page has the rest",
    test: "a page of entities or of a history ends at four megabytes, and the next page has what follows [X15]",
  },
};

const planning: Rows<typeof planningLimits> = {
  assignmentsPerMission: {
    bounds: "assignments of a mission",
    beyond: "`planning.too_many`",
    test: "a mission has a maximum of assignments [X15]",
  },
  clashesNamed: { bounds: "clashes that a refusal names", beyond: "`clash_count` counts the others" },
  usersNamed: { bounds: "users of a resource that a refusal names", beyond: "the others are left out" },
  rowsPerPage: "pace",
};

const files: Readonly<Record<"batchCharactersMax", Row>> = {
  batchCharactersMax: {
    bounds: "characters of a batch in an export, of an unpacked block of the archive, and of a value in a database",
    beyond: "the file is refused as damaged",
    test: "an archive file that unpacks to more than any batch holds is refused, and does not fill the memory [X14 X15]",
  },
};

const checks: Rows<typeof checkLimits> = {
  perAgentMax: {
    bounds: "checks of one agent in the thread of checks",
    beyond: "the others wait",
    test: "one agent has 4 checks in the thread, its others wait, and 1,000 unfinished checks refuse the next",
  },
  waitingMax: {
    bounds: "unfinished checks",
    beyond: "`overloaded`",
    test: "one agent has 4 checks in the thread, its others wait, and 1,000 unfinished checks refuse the next",
  },
  sliceRows: "pace",
  sliceBytes: "pace",
  loadedBytesMax: { bounds: "bytes of the entities in the thread of checks", beyond: "the oldest ones are unloaded" },
  heapMbMax: { bounds: "heap of the thread of checks, in MB", beyond: "the thread ends, and the next check starts it" },
  turnMs: "pace",
  yieldAfterMs: "pace",
  cancelMs: {
    bounds: "milliseconds of processor time until a cancelled check stops",
    beyond: "the thread of checks is ended and started again",
    test: "a check that never yields is ended after its deadline, and the next check runs in a new thread",
  },
  cancelLookMs: "pace",
  cancelWallMs: {
    bounds: "milliseconds of wall time until a cancelled check stops, if its thread gets no processor",
    beyond: "the thread of checks is ended and started again",
    test: "a cancelled check of a thread that gets no processor ends nothing else for 20 seconds",
  },
  roundsMax: {
    bounds: "rounds of checking for one command",
    beyond: "`check_contended`",
    test: "eight stale rounds give check_contended, and nothing stale is recorded",
  },
};

const parts: Rows<typeof partLimits> = {
  partsMax: { bounds: "parts of files in memory at once", beyond: "the others wait" },
  partsOfPrincipalMax: {
    bounds: "parts of files of one principal in memory at once",
    beyond: "its others wait",
    test: "slow senders of one principal do not stop the uploads of another one [W6]",
  },
  partMs: {
    bounds: "milliseconds in which a part of a file arrives",
    beyond: "`files.part_late`, and no byte of the part is kept",
    test: "a part whose sender always sends a little ends at its timeout, and the upload continues at its offset [W6 X15]",
  },
};

const images: Rows<typeof imageLimits> = {
  pixelsMax: { bounds: "pixels of an image", beyond: "the job fails" },
  sideMax: { bounds: "pixels of a side of an image", beyond: "the job fails" },
  workMs: {
    bounds: "milliseconds of the process for one image",
    beyond: "it is killed, and the attempt of the job fails",
    test: "a process for images that hangs is killed at its time limit, and the error names the limit [X15]",
  },
  bytesMax: { bounds: "bytes of an uploaded image", beyond: "the job fails" },
};

const groups: readonly LimitGroup[] = [
  { title: "The space", values: settings, rows: space },
  { title: "Callers", values: { ...defaultAccessLimits }, rows: { ...access } },
  { title: "Audit trail", values: noteLimits, rows: notes },
  doorLimits.http,
  doorLimits.socket,
  { title: "Inputs", values: { ...inputLimits }, rows: { ...input } },
  { title: "Reads", values: { pageBytesMax }, rows: reads },
  { title: "Locks", values: lockLimits, rows: locks },
  { title: "Agents", values: agentLimits, rows: agents },
  { title: "Tokens", values: tokenLimits, rows: tokens },
  { title: "The engine", values: engineLimits, rows: engine },
  { title: "Checks", values: checkLimits, rows: checks },
  doorLimits.nats,
  { title: "Planning", values: planningLimits, rows: planning },
  intentLimits,
  jobsLimits,
  noticesLimits,
  { title: "Uploads of files", values: partLimits, rows: parts },
  { title: "Images", values: imageLimits, rows: images },
  { title: "Files from elsewhere", values: { batchCharactersMax }, rows: files },
];

/** Every limit of the page. */
export const allLimits: readonly (LimitRow & { readonly name: string; readonly group: string })[] = groups.flatMap(
  ({ title, rows }) =>
    Object.entries(rows).flatMap(([name, row]) => (row === "pace" ? [] : [{ ...row, name, group: title }])),
);

const shown = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en-US") : String(value));

export function limitsPage(made: string): string {
  return [
    "# Limits",
    made,
    "Every limit of a server, with its default. A limit with a setting can be changed. Those of the space change with " +
      "`configure`, and those of intents with `intents.configure`. The others are an [option, variable or " +
      "key](configuration.md) of `holdfast up`. Each test is in `test/`. A row without a test bounds the work of the server itself, or is a number of its HTTP or NATS library.",
    ...groups.flatMap(({ title, values, rows }) => [
      `## ${title}`,
      [
        "| bounds | default | setting | beyond it | shown by |",
        "| --- | --- | --- | --- | --- |",
        ...Object.entries(rows).flatMap(([name, row]) => (row === "pace" ? [] : [lineOf(values[name], row)])),
      ].join("\n"),
    ]),
    "## Tables of the state",
    "Each table names the bound of its rows. With `quota` new rows are refused when the space is full. With `operators` only " +
      "operators add rows. With `one` it has one row. Otherwise it is a limit of this page.",
    "A deleted entity keeps a row, because its versions continue to count. The row has 300 bytes, its " +
      "type and twice its id. It stays forever, so the default quota holds about three million of them. Ten million intents a year need more than this if " +
      "they are deleted. Let intents end instead. After `ended_days` an ended intent leaves no row.",
    [
      "| table | bounded by |",
      "| --- | --- |",
      ...tables.map(({ name, boundedBy }) => `| ${name} | ${boundedBy ?? ""} |`),
    ].join("\n"),
  ].join("\n\n");
}

const tables = featuresOf([]).flatMap((feature) => feature.tables);

function lineOf(value: unknown, { bounds, beyond, setting, test }: LimitRow): string {
  return `| ${[bounds, shown(value), setting === undefined ? "" : `\`${setting}\``, beyond, test ?? ""].join(" | ")} |`;
}
