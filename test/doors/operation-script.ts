/** Operations in an order in which each has an effect. Every door must give the same answer to each of them. */
import type { CallReply } from "holdfast";
import { step } from "./script-step.ts";
import type { OperationInput, ScriptStep } from "./script-step.ts";
import { workspace } from "./workspace-script.ts";

const plan = { type: "plan", id: "1" };
const ann = { owner_id: "ann" };
const bob = { owner_id: "bob" };
const at = (revision: string): OperationInput => ({ expected_revision: revision });

/** A member of the last answer to an operation. */
const memberOf = (before: readonly CallReply[], operation: string, name: string): unknown => {
  const index = script.findLastIndex(
    (scripted, position) => position < before.length && scripted.operation === operation,
  );
  return (before[index]?.outcome.data as OperationInput | undefined)?.[name];
};

const entities: readonly ScriptStep[] = [
  step("create-entity", { ...plan, value: { a: 1 } }, { key: "k1" }),
  step("create-entity", { ...plan, value: { a: 1 } }, { key: "k1" }),
  step("create-entity", { ...plan, value: { a: 2 } }, { key: "k1" }),
  step("create-entity", { type: "plan", id: "2", value: null, expected_version: 0 }, { route: 1 }),
  step("create-entity", { type: "plan", id: "2", value: null, expected_version: 0 }, { route: 1 }),
  step("patch-entity", { ...plan, merge: { b: 1 }, expected_version: 1 }),
  step("patch-entity", { ...plan, merge: { b: 2 }, expected_version: 1 }, { key: "k2" }),
  step("patch-entity", { ...plan, merge: { b: 2 }, expected_version: 1 }, { key: "k2" }),
  step("patch-entity", { ...plan, merge: { b: 3 }, ...at("1.1") }),
  step("patch-entity", { ...plan, merge: { b: 3 }, ...at("1.2") }),
  step("patch-entity", { ...plan, patch: [{ op: "remove", path: "/z" }], ...at("1.3") }),
  step("patch-entity", { ...plan, patch: [{ op: "remove", path: "/z" }] }),
  step("replace-entity", { ...plan, value: [1], nonsense: true, ...at("1.3") }),
  step("replace-entity", { ...plan, value: [1], ...at("1.3") }),
  step("get-entity", plan),
  step("get-entity", { ...plan, version: 1 }),
  step("get-entity", { type: "plan", id: "none" }),
  step("list-entities", { type: "plan", limit: 1 }),
  step("delete-entity", { ...plan, ...at("1.4") }),
  step("get-entity", plan),
  step("list-history", plan),
];

const locks: readonly ScriptStep[] = [
  step("acquire-lock", { paths: ["x"], ttl_seconds: 600, mode: "upgradeable", ...ann }),
  step("acquire-lock", { paths: ["x"], ttl_seconds: 600, ...bob }),
  step("renew-lock", { path: "x", ...ann }),
  step("upgrade-lock", { path: "x", ...ann }),
  step("downgrade-lock", { path: "x", mode: "read", ...ann }),
  step("transfer-lock", { path: "x", to: "carl", ...ann }),
  step("request-release", { path: "x", reason: "mine", ...bob }),
  step("acquire-lock", { paths: ["x"], ttl_seconds: 600, wait: true, ...bob }),
  step("get-ticket", (before) => ({ ticket: memberOf(before, "acquire-lock", "ticket") })),
  step("accept-lock", (before) => ({ ticket: memberOf(before, "acquire-lock", "ticket"), ...bob })),
  step("list-waits"),
  step("cancel-ticket", (before) => ({ ticket: memberOf(before, "acquire-lock", "ticket"), ...bob })),
  step("cancel-ticket", (before) => ({ ticket: memberOf(before, "acquire-lock", "ticket"), ...bob }), { route: 1 }),
  step("acquire-lock", { paths: ["y"], ttl_seconds: 600, ...bob }, { key: "k3" }),
  step("withdraw-request", { operation: "acquire-lock", key: "k3", ...bob }),
  step("withdraw-request", { operation: "acquire-lock", key: "k3", ...bob }),
  step("acquire-lock", { paths: ["y"], ttl_seconds: 600, ...bob }, { key: "k3" }),
  step("withdraw-request", { operation: "upgrade-lock", key: "never sent", ...bob }),
  step("list-locks"),
  step("get-lock", { path: "x" }),
  step("list-lock-history", { path: "x" }),
  step("check-fence", { path: "x", fence: "1.1" }),
  step("get-ticket", { ticket: "1.1" }),
  step("release-lock", { paths: ["x"], owner_id: "carl" }),
  step("force-release", { fence: "1.1", reason: "none" }),
  step("acquire-lock", { paths: ["z"], ttl_seconds: 600, ...ann }),
  step("force-release", (before) => ({ fence: memberOf(before, "acquire-lock", "fence"), reason: "gone" })),
  step("acquire-lock", { paths: ["z"], ttl_seconds: 600, ...ann }),
  step("override-release", (before) => ({ fence: memberOf(before, "acquire-lock", "fence"), reason: "gone" })),
  step("configure-locks", { enforce: ["y"] }),
  step("who-am-i", ann),
];

const others: readonly ScriptStep[] = [
  step("configure", { settings: { state_hash_every: 1000 } }),
  step("raise-rules", { to: 99 }),
  step("raise-rules", { to: 1 }),
  step("erase-payload", { position: 999, reason: "none" }),
  step("erase-payload", { position: 3, reason: "asked for" }),
  step("list-journal", { limit: 3 }),
  step("list-audit", { limit: 3 }),
  step("list-tokens"),
  step("create-token", { principal: "ci", allow: [{ under: "x", verbs: ["read"] }] }),
  step("rotate-token", { token_id: "none" }),
  step("rotate-token", (before) => ({ token_id: memberOf(before, "create-token", "token_id"), grace_seconds: 60 })),
  step("rotate-operator-token"),
  step("revoke-token", { token_id: "none" }),
  step("revoke-token", (before) => ({ token_id: memberOf(before, "create-token", "token_id") })),
  step("register-agent", { name: "dora" }),
  step("list-agents"),
  step("heartbeat"),
  step("heartbeat", {}, { route: 1, agent: (before) => memberOf(before, "register-agent", "agent_id") as string }),
  step("end-agent", { agent_id: "nobody" }),
  step("end-agent", (before) => ({ agent_id: memberOf(before, "register-agent", "agent_id") })),
  step("no-such-operation"),
  step("get-entity", { type: "plan" }),
];

const range = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T08:00:00Z" };

/** The steps that each resource of the pack runs after its creation. */
const lifecycleOf = (name: string, id: string, changes: OperationInput): readonly ScriptStep[] => [
  step(`planning.update-${name}`, { id, changes, ...at("1.1") }),
  step(`planning.update-${name}`, { id, changes, ...at("1.1") }),
  step(`planning.get-${name}`, { id }),
  step(`planning.list-${name}s`),
  step(`planning.archive-${name}`, { id, ...at("1.2") }),
  step(`planning.unarchive-${name}`, { id, ...at("1.3") }),
];

const planning: readonly ScriptStep[] = [
  step("planning.create-organization", { id: "o", name: "Acme" }, { key: "o1" }),
  step("planning.create-organization", { id: "o", name: "Acme" }, { key: "o1" }),
  step("planning.create-project", { id: "p", organization_id: "o", name: "Bridge" }),
  step("planning.create-collaborator", { id: "c", organization_id: "o", name: "Ann" }),
  step("planning.create-mission", { id: "m", project_id: "p", name: "Weld", ...range }),
  step("planning.create-mission", { id: "m3", project_id: "none", name: "Weld", ...range }),
  step("planning.create-assignment", { id: "a", mission_id: "m", collaborator_id: "c", role: "welder", ...range }),
  ...lifecycleOf("assignment", "a", { role: "painter" }),
  ...lifecycleOf("mission", "m", { description: "by hand" }),
  ...lifecycleOf("collaborator", "c", { name: "Anna" }),
  ...lifecycleOf("project", "p", { name: "The bridge" }),
  ...lifecycleOf("organization", "o", { name: "The Acme" }),
  step("planning.transition-mission", { id: "m", to: "locked", ...at("1.4") }),
  step("planning.transition-mission", { id: "m", to: "planned", ...at("1.4") }),
  step("planning.transition-mission", { id: "m", to: "locked", ...at("1.5") }),
  step("planning.reopen-mission", { id: "m", reason: "rain", ...at("1.6") }),
  step("planning.delete-organization", { id: "o", ...at("1.4") }),
  step("planning.create-organization", { id: "o2", name: "Brief" }),
  step("planning.create-project", { id: "p2", organization_id: "o2", name: "Tent" }),
  step("planning.create-collaborator", { id: "c2", organization_id: "o2", name: "Bob" }),
  step("planning.create-mission", { id: "m2", project_id: "p2", name: "Pitch", ...range }),
  step("planning.create-assignment", { id: "a2", mission_id: "m2", collaborator_id: "c2", role: "pole", ...range }),
  step("planning.delete-assignment", { id: "a2", ...at("1.1") }),
  step("planning.delete-mission", { id: "m2", ...at("1.1") }),
  step("planning.delete-collaborator", { id: "c2", ...at("1.1") }),
  step("planning.delete-project", { id: "p2", ...at("1.1") }),
  step("planning.delete-organization", { id: "o2", ...at("1.1") }),
];

const correction = { diff: { price: 7 }, source: "pricing", reason: "the list changed" };
const fenceOf = (before: readonly CallReply[]): OperationInput => ({
  fence: memberOf(before, "acquire-lock", "fence"),
});

const intents: readonly ScriptStep[] = [
  step("intents.create", { id: "1", payload: { text: "two chairs" } }, { key: "i1" }),
  step("intents.create", { id: "1", payload: { text: "two chairs" } }, { key: "i1" }),
  step("intents.create", { id: "2", payload: {}, status: "Processed" }),
  step("intents.create", { id: "3", payload: {}, status: "sold" }),
  step("intents.update", { id: "1", changes: { text: "three chairs" }, ...at("1.1") }),
  step("intents.update", { id: "1", changes: { text: "four chairs" }, ...at("1.1") }),
  step("intents.transition", { id: "2", to: "completed" }),
  step("intents.transition", { id: "2", to: "failed" }),
  step("intents.reevaluate", { id: "1", ...correction }),
  step("intents.reevaluate", { id: "1", ...correction }),
  step("intents.list-corrections", { id: "1" }),
  step("intents.update-many", { ids: ["1", "2"], to: "failed" }),
  step("intents.update-many", { ids: ["1"], changes: { many: true } }),
  step("acquire-lock", { paths: ["intent/1"], ttl_seconds: 600, ...ann }),
  step("intents.transition", { id: "1", to: "processed" }),
  step("intents.run", (before) => ({
    ...{ id: "1", pipeline: "orders", bridges: [{ name: "input" }, { name: "output" }] },
    ...fenceOf(before),
  })),
  step("intents.advance", (before) => ({
    ...{ id: "1", run: 1, step: "input", outcome: "done", to: "normalized" },
    ...fenceOf(before),
  })),
  step("intents.list", { run: "running" }),
  step("intents.stop", { id: "1", reason: "cancelled" }),
  step("release-lock", { paths: ["intent/1"], ...ann }),
  step("intents.get", { id: "1" }),
  step("intents.configure", { settings: { max_tries: 4 } }),
  step("intents.configure", { settings: { strategies: { audit_log: "optimistic" } } }),
  step("intents.list-strategies"),
  step("intents.delete", { id: "2", ...at("1.2") }),
  step("intents.get", { id: "2" }),
];

const ledger = { program_id: "ledger" };
const eve = { agent: (before: readonly CallReply[]) => memberOf(before, "register-agent", "agent_id") as string };
const ofOne = { ...ledger, function_id: "f1" };
const addOne = { type: "add_function", text: "pub fn one(x: i64) -> i64 ensures result > x { x + 1 }" };
const addBox = { type: "add_type", text: "struct Box { side: i64, }" };
const setOne = { type: "set_function", function_id: "f1", text: "pub fn one(x: i64) -> i64 { x +% 1 }" };
const addPlain = { type: "add_function", text: "pub fn plain(x: i64) -> i64 { x +% 2 }" };

interface UndoAnswer {
  readonly mutation: number;
  readonly items: readonly { readonly item: string; readonly current_hash: string | null }[];
}

/**
 * The mutation and the hashes that programs.get-undo answered. On a server that ran this script before, the mutations are
 * refused and there is nothing to undo.
 */
const undoing = (side: "undo" | "redo") => (before: readonly CallReply[]) => {
  const answer = memberOf(before, "programs.get-undo", side) as UndoAnswer | null;
  const { mutation, items } = answer ?? { mutation: 1, items: [] };
  const known = items.filter(({ current_hash: hash }) => hash !== null);
  const hashes = known.map(({ item, current_hash: hash }) => [item.slice(item.indexOf("/") + 1), hash] as const);
  return { ...ledger, mutation, expected_hashes: Object.fromEntries(hashes) };
};

/** Last, because the items of a deleted program are removed by later entries. */
const programs: readonly ScriptStep[] = [
  step("register-agent", { name: "eve" }),
  step("programs.get-grammar"),
  step("programs.create", { ...ledger, name: "Ledger" }, eve),
  step("programs.list"),
  step("programs.get", ledger),
  step("programs.mutate", { ...ledger, mutations: [addOne], expected_hashes: {} }, eve),
  step("programs.mutate", { ...ledger, mutations: [addPlain, addBox], expected_hashes: {} }, eve),
  step("programs.check-mutation", { ...ledger, mutations: [setOne] }),
  step("programs.list-functions", ledger),
  step("programs.get-function", { ...ledger, function_id: "f1", view: "full" }),
  step("programs.mutate", { ...ledger, mutations: [setOne], expected_hashes: {} }, eve),
  step("programs.list-types", ledger),
  step("programs.get-type", { ...ledger, type_id: "t1" }),
  step("programs.list-calls", ofOne),
  step("programs.verify", ledger),
  step("programs.simulate-function", { ...ofOne, inputs: [2] }),
  step("programs.test-function", { ...ledger, function_id: "f2", cases: 5 }),
  step("programs.export", ledger),
  step("acquire-lock", { paths: ["program/ledger/function/f2"] }, eve),
  step("programs.get-function", { ...ledger, function_id: "f2" }),
  step("programs.list-function-history", { ...ledger, function_id: "f2" }),
  step("programs.diff-functions", { ...ledger, function_id: "f2", from: "1", to: "1" }),
  step("programs.list-mutations", ledger),
  step("acquire-lock", { paths: ["program/ledger/function/f1"] }, eve),
  step("programs.update", { ...ledger, changes: { description: "Accounts." }, ...at("1.3") }),
  step("programs.create", { program_id: "copy", name: "Copy" }, eve),
  step("programs.import", { program_id: "copy", text: '@id("f1")\npub fn one() -> i64 { 1 }' }, eve),
  step("acquire-lock", { paths: [{ path: "program/copy", mode: "write", scope: "tree" }] }, eve),
  step("programs.get-undo", ledger, eve),
  step("programs.undo", undoing("undo"), eve),
  step("programs.get-undo", ledger, eve),
  step("programs.redo", undoing("redo"), eve),
  step("programs.delete", { program_id: "copy", ...at("1.2") }, eve),
];

/** The claim of a job that an operation started for the worker. */
const claimOf = (before: readonly CallReply[], operation: string): string => {
  const [first] = memberOf(before, operation, "next") as readonly { readonly claim: string }[];
  return first?.claim ?? "";
};
const claimed = (id: string, operation: string, more: OperationInput = {}) => ({
  input: (before: readonly CallReply[]) => ({ id, claim: claimOf(before, operation), ...more }),
});
const mail = { type: "mail", project: "p1" };

/** A worker with one slot: each end of a job starts the next one. */
const jobs: readonly ScriptStep[] = [
  step("jobs.configure", { max_jobs_per_project: 20, types: { mail: { max_attempts: 2 } } }),
  step("jobs.submit", { ...mail, id: "j1", payload: { to: "ann" } }, { key: "j1" }),
  step("jobs.submit", { ...mail, id: "j1", payload: { to: "ann" } }, { key: "j1" }),
  step("jobs.submit", { ...mail, id: "j1" }),
  step("jobs.submit-many", {
    jobs: [
      { ...mail, id: "j2" },
      { ...mail, id: "j3" },
      { ...mail, id: "j4", delay_seconds: 600 },
    ],
  }),
  step("jobs.change", { id: "j4", changes: { priority: 90 } }),
  step("jobs.pause", { project: "p2", reason: "it moves" }),
  step("jobs.resume", { project: "p2" }),
  step("jobs.list", { state: "ready", limit: 2 }),
  step("jobs.offer", { types: ["mail"], slots: 1 }, eve),
  step("jobs.list-workers"),
  step("jobs.progress", claimed("j1", "jobs.offer", { percent: 40, message: "half" }).input, eve),
  step("jobs.get", { id: "j1" }),
  step("jobs.lock", claimed("j1", "jobs.offer", { paths: ["free/x"] }).input, eve),
  step("jobs.unlock", claimed("j1", "jobs.offer", {}).input, eve),
  step("jobs.complete", claimed("j1", "jobs.offer", { result: { sent: true } }).input, eve),
  step("jobs.complete", claimed("j1", "jobs.offer", { result: { sent: true } }).input, eve),
  step("jobs.complete-many", (before) => ({ jobs: [{ id: "j1", claim: claimOf(before, "jobs.offer") }] }), eve),
  step("jobs.get", { id: "j1" }),
  step("jobs.get", { id: "none" }),
  step("jobs.list", { state: "completed" }),
  step("jobs.stats"),
  step("jobs.list", { state: "running", type: "mail" }),
];

const nightly = { id: "nightly" };
const schedules: readonly ScriptStep[] = [
  step("jobs.put-schedule", { ...nightly, cron: "30 2 * * *", time_zone: "Europe/Berlin", job: mail }),
  step("jobs.put-schedule", { ...nightly, cron: "@monthly", time_zone: "Europe/Berlin", job: { ...mail, cost: 2 } }),
  step("jobs.put-schedule", { id: "bad", cron: "61 * * * *", job: mail }),
  step("jobs.put-schedule", { id: "bad", cron: "@daily", time_zone: "Mars/Olympus", job: mail }),
  step("jobs.pause-schedule", nightly),
  step("jobs.get-schedule", nightly),
  step("jobs.get-schedule", { id: "none" }),
  step("jobs.resume-schedule", nightly),
  step("jobs.list-schedules", { type: "mail" }),
  step("jobs.delete-schedule", nightly),
  step("jobs.delete-schedule", { id: "none" }),
];

/** The rest needs the job that the first completion started. */
const jobEnds: readonly ScriptStep[] = [
  step("jobs.offer", { types: ["mail"], slots: 1 }, eve),
  step("jobs.fail", claimed("j2", "jobs.offer", { error: { message: "down" }, retry: false }).input, eve),
  step("jobs.retry", { id: "j2" }),
  step("jobs.offer", { types: ["mail"], slots: 0 }, eve),
  step("jobs.release", claimed("j3", "jobs.offer", { delay_seconds: 60 }).input, eve),
  step("jobs.take", { types: ["mail"] }, eve),
  step("jobs.fail", claimed("j2", "jobs.take", { error: { message: "down" }, retry: false }).input, eve),
  step("jobs.discard", { type: "mail" }),
  step("jobs.cancel", { id: "j3" }, { route: 1 }),
  step("jobs.cancel", { type: "mail", state: "scheduled" }),
];

/** The fence of the last lock. */
const fenced = (input: OperationInput) => (before: readonly CallReply[]) => ({
  ...input,
  fence: memberOf(before, "acquire-lock", "fence"),
});
/** The publish that was begun last. */
const publish = (before: readonly CallReply[]) => ({ id: memberOf(before, "files.open", "id") });
const docs = { target: "site/docs" };

/** Versions without files: parts are sent over HTTP only. The node removes folders a second after the last two steps. */
const files: readonly ScriptStep[] = [
  step("files.configure", { retention_seconds: 60, quotas: { site: 500_000_000_000 } }),
  step("acquire-lock", { paths: ["site"], ttl_seconds: 600, ...ann }),
  step("files.open", { ...docs, fence: "9.9" }),
  step("files.open", fenced(docs)),
  step("files.list-publishes"),
  step("files.commit", publish, { key: "f2" }),
  step("files.commit", publish, { key: "f2" }),
  step("files.open", fenced({ target: "site/old" })),
  step("files.commit", publish),
  step("files.get", docs),
  step("files.get", { target: "site/none" }),
  step("files.list", docs),
  step("files.list-targets", { under: "site" }),
  step("files.list-versions", docs),
  step("files.get", { ...docs, position: 1 }),
  step("files.pin", { ...docs, ttl_seconds: 600 }),
  step("files.delete", fenced(docs)),
  step("files.unpin", { ...docs, version: 1 }),
  step("files.unpin", { ...docs, version: 9 }),
  step("files.pin", { ...docs, ttl_seconds: 600 }),
  step("files.list-roots"),
  step("files.clear-root", { root: "main" }),
  step("files.clear-root", { root: "none" }),
  step("files.open", fenced(docs)),
  step("files.abort", publish),
  step("files.delete", fenced({ target: "site/old" })),
];

export const script: readonly ScriptStep[] = [
  ...[entities, locks, planning, intents, others, programs].flat(),
  ...jobs,
  ...schedules,
  ...jobEnds,
  ...workspace,
  ...files,
];
