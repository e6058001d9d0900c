/**
 * Every promise of Holdfast, as data. A test cites the ids that it proves in square brackets at the end of its title:
 * `test("a conflict is recorded and explains itself [M2 X4]", …)`. A benchmark cites them in the name of its row.
 * `test/tidy/guarantees.test.ts` fails if a promise of a finished milestone is not cited.
 */
export type Milestone =
  | "heart"
  | "journal"
  | "locks"
  | "doors"
  | "planning"
  | "nodes"
  | "proof"
  | "version-1"
  | "closed-doors"
  | "first-minutes"
  | "programs"
  | "intents"
  | "jobs"
  | "workspace"
  | "mcp";

export interface Guarantee {
  readonly id: string;
  readonly row: GuaranteeRow;
  readonly promise: string;
  /** The kind of proof: a test, or a row of a benchmark. */
  readonly kind: "test" | "figure";
  /** The milestone that completes it. */
  readonly milestone: Milestone;
}

export type GuaranteeRow = (typeof rows)[keyof typeof rows];

const rows = {
  M: "mesh runtime",
  P: "planning",
  G: "program graph",
  B: "intents and bridges",
  W: "workspace",
  X: "across all rows",
} as const;

/** Promises of speed. They are measured against a peer, never asserted by a timed test. */
const figures = new Set(["B7"]);

/** Milestones whose promises are all proven. */
export const finished: readonly Milestone[] = [
  "heart",
  "journal",
  "locks",
  "doors",
  "planning",
  "nodes",
  "version-1",
  "closed-doors",
  "first-minutes",
  "programs",
  "intents",
  "jobs",
  "workspace",
];

/** The text of every promise, under the milestone that completes it. The letter of an id names its row. */
const promises: Readonly<Record<Milestone, Readonly<Record<string, string>>>> = {
  heart: {
    M1: "A command on any entity may carry the expected version. Without it the command runs with no concurrency guarantee.",
    M2: "A command with another expected version is refused and changes nothing. A conflict event with exactly entity_id, expected_version, current_version and reason is recorded and published. The version does not advance.",
    M4: "A repeated idempotency key returns exactly the first result, conflicts included, marked as a replay. On the mesh the first event is published again, with its position and the header Holdfast-Replayed.",
    M5: "A version comes only from the journal. Version 0 means absent, and creation makes 1. Expected version 0 means create only if absent. Delete and re-create continue the count. Nothing in the core blocks: waiting is state.",
    X4: "A conflict explains itself: the value read, the value sent, the current value and the author of the change. It replays the same under its key. If the base is archived, it gives the reason.",
    X10: "Simulation is deterministic: a seed reproduces any failure.",
  },
  journal: {
    M3: "The same commands on the same history give the same outcomes and events, byte for byte. Each entry names the rules that decided it. Verify re-decides the entries whose rules it has, folds the rest, and reports both counts.",
    X1: "There is one ordered, hash-chained journal, and all other state is a fold of it. Verify re-executes the journal and detects tampering. With an exported head it also detects a cut tail.",
    X9: "Any entity or lock can be read as it was at any position in the journal or archive. An older position gets 410.",
  },
  locks: {
    M6: "The lock manager is optional. While it is off, a lock command is refused, and modules that need it refuse to start and name the toggle.",
    M7: "An acquire answers at once: acquired with its expiry, or denied with the earliest conflicting holder. The time to live is mandatory, from 1 to 86,400 seconds. An acquire by the holder keeps its fence.",
    M8: 'Release, refresh and expiry of a lock publish one event each. A release by an owner that does not hold the lock answers "not held" and publishes nothing.',
    M9: "The runtime's clock decides the time to live. Expiry is an entry, never a computation at read time. Each kind of path has a policy: expire or recover. After a start or a stall, holders get a grace window to renew.",
    M10: "On generic entities locks are advisory, unless the command carries a fence. Program mutations, workspace writes and pipeline steps require in their own entry that the caller holds the lock that their rule names.",
    M14: "Every command has one principal and at most one agent. Only the registered agent may use its owner id. An unknown or ended agent is refused with the time and reason of its end.",
    G1: "Agents register, are listed, send heartbeats and deregister, which frees all their locks at once. Inactivity ends a registration. No lock outlives its registration, and activity extends both.",
    G3: "A batch acquire is all or nothing, sorted, and cannot deadlock.",
    G4: "Without wait the answer is immediate and nothing is queued. A denial names the holder, its purpose, its start and end, and the place that a ticket would get. With wait the caller gets a ticket with its real place.",
    G5: "A lock expires by its time to live, with no heartbeat needed. The next in the queue has it within a second on a healthy server.",
    W1: "Locks are read, write or upgradeable. An upgrade is atomic and happens only with no other reader and no competing writer.",
    W2: "Each grant has one record with lock id, owner, lease end, last heartbeat, metadata, resource and mode. The API serves it.",
    W5: "There is one global order for several locks: project, map, sketch, then by id as bytes. Batches are sorted. On these kinds a blocking acquire out of order is refused.",
    W10: "Only operators and automatic recovery force a release, with an audit record. Force-release of a recoverable lock is refused, naming the failed conditions. An override with a reason is audited separately.",
    X2: "Locks are hierarchical. Scope tree excludes conflicting locks on ancestors and descendants. Scope self covers the record alone.",
    X3: "Fences always increase, also across restart, delete and restore. They are checked in the same entry as the write that they protect. A fence is valid only while its grant lives.",
    X5: "Queues are first come, first served, with positions. The releasing entry grants the next waiter. Waiters that die leave the queue.",
    X6: "A deadlock is detected at the moment it would arise and explained with its cycle in words. Each is in the audit trail.",
    X11: "Heartbeats are cheap: one heartbeat renews everything that an agent holds, and all heartbeats of one tick share one entry.",
  },
  doors: {
    B8: "Metrics count lock acquisitions, their duration, contention, deadlocks, version conflicts, retries and active locks. Alert rules cover contention, deadlocks, conflicts and slow acquisition.",
  },
  planning: {
    P1: "Every read of an organization, project, mission, assignment or collaborator has a strong ETag. Body and list items carry it as revision. An update that changes nothing keeps it.",
    P2: "A change over HTTP needs If-Match. Missing gets 428, malformed gets 400, and a mismatch gets 412 with the current revision and the changes. A mismatch records the same conflict event as any other.",
    P3: "A successful write returns the full new representation and its new ETag, so that writes can be chained.",
    P4: "An Idempotency-Key is honoured on every write. The first use runs, also with many concurrent first uses. Later uses get the same answer, including refusals decided from state. The same key with another request gets 422.",
    P5: "The scope of a key is principal, method, route and a fingerprint of the request. The answer is kept 24 hours. A later use is refused and never runs again. Memory does not grow with the window.",
    P6: "A replay never bypasses authorization, validation or blocking rules, and adds nothing to the journal.",
    P7: "Missions are draft, planned, locked, completed or cancelled. A transition is audited and needs If-Match and its prerequisites. Double bookings block it, and every clash is named.",
    P8: "Every successful write leaves an audit event with the prior and the new revision, the actor, the time and the change.",
    P9: "Every error is a problem document with a stable code from one registry and a retry rule, which the SDK obeys.",
  },
  nodes: {
    M11: "Over NATS JetStream, commands are consumed from a durable stream and events are published. A crash between entry and acknowledgement leads to a redelivery that changes nothing and gets the same answer.",
    M12: "Of many commands with the same expected version over a real nats-server, exactly one succeeds and all others conflict.",
    M13: "A factory assembles a runtime from a configuration with component toggles.",
    X7: "The same semantics hold embedded in a process, on one server, and on many nodes over Postgres. One conformance suite enforces them.",
  },
  proof: {},
  "version-1": {
    X12: "The two README commands work on a fresh machine, side by side, and while another Holdfast runs.",
  },
  "closed-doors": {
    X14: "No caller, file, folder, backup or reply address from outside reaches what its rights do not allow. A refusal says nothing about what its caller may not read.",
    X15: "No caller can use up what others need: memory, connections, agents, watches, disk. An operator always gets in.",
  },
  "first-minutes": {
    X13: "A caller can withdraw a request by its key. Its grant is released, its ticket is cancelled, and a late copy is refused.",
  },
  programs: {
    G2: "Locks on functions of a program allow many readers or one writer. There are routes for status, acquire, batch, release, renew, mutations and verify.",
    G6: "A mutation carries the hash of every function that it changes, as the agent last read it. A mismatch is refused with a structured diff, its author and time. Changes are never merged automatically.",
    G7: "A mutation needs the write locks of the functions it changes, and read locks of the functions that its new calls name. Locks, hashes, change and verdict are compared and applied in one entry.",
    G8: "Structure changes are serialised over the whole program. They are refused while another agent locks a function concerned.",
    G9: "Changed functions and their transitive callers are checked before the change is visible, outside the decision, on a snapshot. A failure changes nothing. The graph is always in a verified state.",
    G10: "There are full verification on demand, call graph queries and simulation of a function. A function's hash holds no part of another function. Undo and redo per agent never undo another agent's work.",
    G11: "After the first try and five retries with hash conflicts, an agent gets 429 with the time to retry. A success or ten minutes without a conflict reset the count.",
    G12: "A read without a lock never waits for a lock.",
  },
  intents: {
    B1: "The status of an intent changes only along the allowed transitions. Completed and failed are final. Status input is case-insensitive and stored in lower case. An unknown status is refused.",
    B2: "Each operation has a configurable strategy: pessimistic for status and pipelines, optimistic for re-evaluation and corrections, none for audit.",
    B3: "Concurrent status updates end in a consistent state. The loser gets a clear error within the lock timeout.",
    B4: "A re-evaluation is applied once, under an id derived from intent and diff, and cannot lose a race. With an expected version it retries, then takes the pessimistic path. All corrections are in the history.",
    B5: "A pipeline of bridges runs in the given order, outside the machine, under an exclusive lock and its fence. A second runner is refused at once, or waits. A failing bridge ends the run, or is recorded in continue mode.",
    B6: "Deadlocks are detected. The SDK's retry releases the acquired locks and runs again, a bounded number of times, before it reports the cycle. Sorted updates of many intents never deadlock.",
    B7: "At least 2,000 status updates per second run over 1,000 intents. Lock acquisition takes under 5 ms at p95. 50 concurrent re-evaluations of one intent all succeed, under 200 ms at p95.",
    B9: "The matrix of 38 promises about intents exists as data, and each row is proven.",
    B10: "The audit log is append-only, in the store or in a local file in position order. A kill -9 leaves no gap and no repeat.",
    B11: "Audit events record status changes, bridge starts, completions and failures, and re-evaluations, with their actor. Each kind of failure has its own error.",
    B12: "There is a strategy guide with a decision tree. Line coverage of locks, entities and intents is over 80 %.",
  },
  jobs: {
    W3: "A lapsed workspace lease is shown as stale and still excludes other owners. Its recovery is audited. It needs a passed lease, a heartbeat older than the grace period, and no active job that claims it.",
    W8: "Jobs have global and per-project caps and classes, which no agent can change. Queueing is fair: two backlogged projects with equal jobs differ by at most one start.",
    W9: "A job takes its locks early and in order, and releases them as soon as it can. It holds no lock while it waits or calls out. It fails with a logged reason after bounded retries.",
    W11: "With several nodes, locks and job claims live in the shared journal. A file operation runs only on a node that has the right storage root.",
    W13: "An agent cannot add lock types, change leases, caps, order or rules, or bypass a lock when writing. The refusal is audited.",
  },
  workspace: {
    W4: "A rule table says which operation on projects, maps and sketches needs which lock, at which level, in which scope. Agents that edit different sketches do not deny each other. An ambiguous scope is refused with the question that must be answered.",
    W6: "Files are published in ten ordered steps, each time into a new directory that the manifest names. After any crash manifest and disk agree.",
    W7: "SQLite runs in WAL mode with one short-lived writer. Every list has a limit. There is no unbounded scan and no nested transaction.",
    W12: "Every line of the rule table is a real operation that is refused without its lock. The limits of bulk work hold exactly: 1,000 objects on a map, 100 in a sketch.",
  },
  mcp: {
    X8: "There is one contract with six doors: HTTP, socket, SDK, CLI, NATS and MCP.",
  },
};

const rowOf = (id: string): GuaranteeRow => rows[id.charAt(0) as keyof typeof rows];

export const guarantees: readonly Guarantee[] = Object.entries(promises).flatMap(([milestone, ofMilestone]) =>
  Object.entries(ofMilestone).map(([id, promise]) => ({
    id,
    row: rowOf(id),
    promise,
    kind: figures.has(id) ? "figure" : "test",
    milestone: milestone as Milestone,
  })),
);
