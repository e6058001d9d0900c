/**
 * Every promise that Holdfast makes, as data. A test cites the ids that it proves at the end of its title, in square
 * brackets: `test("a conflict is recorded and explains itself [M2 X4]", …)`; a benchmark does so in the name of its row.
 * `test/tidy/guarantees.test.ts` fails when a finished milestone has an id that nothing cites.
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
  | "programs"
  | "intents"
  | "workspace"
  | "mcp";

export interface Guarantee {
  readonly id: string;
  readonly row: GuaranteeRow;
  readonly promise: string;
  /** Who proves it: a test, or a row of a benchmark. */
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

/** Promises of speed. They are measured beside a peer, never asserted by a timed test. */
const figures = new Set(["B7"]);

/** Milestones whose promises are all proven. */
export const finished: readonly Milestone[] = ["heart", "journal", "locks", "doors", "planning", "nodes", "version-1"];

/** The text of every promise, under the milestone that completes it. The letter of an id names its row. */
const promises: Readonly<Record<Milestone, Readonly<Record<string, string>>>> = {
  heart: {
    M1: "Any command on an entity may carry the version it expects. Without one it runs with no guarantee about concurrent changes.",
    M2: "A command that expects another version is refused and changes nothing. A conflict event with exactly entity_id, expected_version, current_version and reason is recorded and published, and the version does not advance.",
    M4: "The same idempotency key again returns exactly the first result, a conflict included, marked as a replay. On the mesh the first event is published again with its position and a header that says so.",
    M5: "A version comes from the journal alone: 0 is absent, creation makes 1, expecting 0 creates only what is absent, and counting goes on after a delete. Nothing in the core blocks: waiting is state.",
    X4: "A conflict explains itself: what you read, what you sent, what is there now and who changed it. It replays the same under its key, and says why when the base is archived.",
    X10: "Simulation is deterministic: a seed reproduces any failure.",
  },
  journal: {
    M3: "The same commands on the same history give the same outcomes and events, byte for byte. Each entry names the rules that decided it; verify decides again what it has rules for, folds the rest, and reports both counts.",
    X1: "One ordered, hash-chained journal is the only truth and everything else is a fold of it. Verify executes it again, sees tampering, and sees a cut tail when given an exported head.",
    X9: "Any entity or lock can be seen as it was at any position in the journal or its archive. What is older is gone, and the answer says so.",
  },
  locks: {
    M6: "The lock manager is a toggle. Switched off, a lock command is clearly refused, and modules that need it refuse to start and name the toggle.",
    M7: "Acquiring answers at once, acquired until a time or denied by the earliest conflicting holder. The time to live is mandatory, from 1 to 86,400 seconds, and acquiring what you hold keeps its fence.",
    M8: "Locks are released, refreshed and expired with one event each. Releasing what you do not hold answers that it is not held, and publishes nothing.",
    M9: "Leases are judged by the runtime's clock, and expiry is an entry, never a computation at read time. Each kind of path expires or recovers by its policy, and after a start or a stall holders get a grace window to renew.",
    M10: "On generic entities locks are advisory unless the command carries a fence. Program mutations, workspace writes and pipeline steps require in their own entry that the caller holds the lock their rule names.",
    M14: "Every command has one principal and at most one agent. A registered owner id can be used by that agent alone, and an unknown or ended agent is told when and why it ended.",
    G1: "Agents register, are listed, send heartbeats and deregister, which frees all their locks at once. Inactivity ends a registration, no lock outlives it, and activity extends both.",
    G3: "Acquiring many paths is all or nothing, in sorted order, and can not deadlock.",
    G4: "Without wait the answer is immediate and nobody is queued; a denial names the holder, its purpose, since and until when, and the place a ticket would get. With wait there is a ticket and its real place.",
    G5: "A lock expires by its time to live without any heartbeat, and the next in the queue has it within a second on a healthy server.",
    W1: "Locks are read, write or upgradeable. An upgrade is atomic and happens only with no other reader and no competing writer.",
    W2: "Every grant has one record, with lock id, owner, lease end, last heartbeat, metadata, resource and mode, and the API serves it.",
    W3: "A workspace lease that lapsed is shown as stale and still excludes others. It is recovered only if the lease passed, the heartbeat is older than the grace, no active job claims it, and the recovery is audited.",
    W5: "Several locks are taken in one global order: project, map, sketch, then by id as bytes. Batches are sorted, and on these kinds a blocking acquire out of order is refused.",
    W10: "Only operators and automatic recovery force a release, with an audit record. A recoverable lock is refused, naming the failed conditions, unless it is overridden with a reason, which is audited separately.",
    X2: "Locks are hierarchical. Scope tree excludes conflicting locks on ancestors and descendants, scope self covers the record alone.",
    X3: "Fences rise for ever, also across restart, delete and restore. They are checked in the same entry as the write they protect, and are valid only while their grant lives.",
    X5: "Queues are first come, first served, with places. The releasing entry hands the lock over, and waiters that die leave the queue.",
    X6: "A deadlock is found at the moment it would arise, is explained with its cycle in words, and is in the audit trail.",
    X11: "Heartbeats are cheap: one beat renews all that an agent holds, and all beats of one tick share one entry.",
  },
  doors: {
    B8: "Metrics count lock acquisitions, their duration, contention, deadlocks, version conflicts, retries and active locks, and alert rules watch contention, deadlocks, conflicts and slow acquisition.",
  },
  planning: {
    P1: "Organizations, projects, missions, assignments and collaborators are read with a strong ETag, which the body and list items carry as revision. An update that changes nothing keeps it.",
    P2: "Changing a resource over HTTP needs If-Match: missing is 428, a mismatch is 412 with the current revision and what changed, malformed is 400. A mismatch records the same conflict event as any other.",
    P3: "A successful write returns the full new representation and its new ETag, so that writes chain.",
    P4: "An Idempotency-Key is honoured on every write: it runs once, also for many first uses at the same time, and later uses get the same answer, refusals decided from state included. The same key with another request is 422.",
    P5: "A key belongs to a principal, a method, a route and a fingerprint of the request. Its answer is kept for a day, and a use after that is refused and never runs again, without memory growing with the window.",
    P6: "A replay never gets around authorization, validation or blocking rules, and adds nothing to the journal.",
    P7: "Missions go from draft through planned and locked to completed or cancelled. A transition needs If-Match and its prerequisites, is stopped by double bookings, all of which it names, and is auditable.",
    P8: "Every successful write leaves an audit event with the revision before and after, who, when and what.",
    P9: "Every error is a problem document with a stable code from one registry and a rule for retrying, which the sdk obeys for each code.",
  },
  nodes: {
    M11: "Over NATS JetStream, commands are consumed from a durable stream and events published. A crash between entry and acknowledgement leads to a redelivery that changes nothing and answers the same.",
    M12: "Of many agents that send a command with the same expected version over a real nats-server, exactly one succeeds and all others conflict.",
    M13: "A factory assembles a runtime from a configuration with component toggles.",
    W11: "With several nodes, locks and job claims live in the shared journal. A file operation runs only on a node that has the storage root it needs.",
    X7: "Semantics are the same embedded in a process, on one server and on many nodes over Postgres, held by one conformance suite.",
  },
  proof: {},
  "version-1": {
    X12: "The two commands of the README work on a fresh machine, side by side in one checkout, and while another Holdfast runs.",
  },
  programs: {
    G2: "Functions of a program are locked by many readers or one writer, with routes for status, acquire, batch, release, renew, mutations and verify.",
    G6: "A mutation carries the hash of every function it changes as the agent last read it. A mismatch is refused with a structured difference, who made it and when, and is never merged automatically.",
    G7: "A mutation needs the write locks of what it changes and the read locks of what its new calls name. Locks, hashes, change and verdict are compared and applied in one entry.",
    G8: "Changes of structure are serialised over the whole program, and refused while another agent locks a function concerned.",
    G9: "Changed functions and their transitive callers are checked before anyone sees the change, outside the decision, on a snapshot. A failure changes nothing, and the graph is always in a verified state.",
    G10: "There is full verification on demand, hashes that hold no part of another function, call graph queries, simulation of a function, and undo and redo per agent that never undo another agent's work.",
    G11: "After the first try and five retries of consecutive hash conflicts an agent is told when to come back. Success or ten minutes start the count again.",
    G12: "A read without a lock never waits for a lock.",
  },
  intents: {
    B1: "Intents have a status that changes only along the allowed transitions; completed and failed are final. Status input is case-insensitive, stored in lower case, and unknown ones are refused.",
    B2: "Each operation has a configurable strategy: pessimistic for status and pipelines, optimistic for re-evaluation and corrections, none for audit.",
    B3: "Concurrent status updates end in a consistent state, and the loser gets a clear error within the lock timeout.",
    B4: "A re-evaluation is applied once, under an id derived from intent and difference, and loses no race. With an expected version it retries, then takes the pessimistic path, and all corrections end up in the history.",
    B5: "A pipeline of bridges runs in the given order, outside the machine, under an exclusive lock and its fence. A second runner is refused at once or waits; a failing bridge stops the run, or is recorded in continue mode.",
    B6: "Deadlocks are found, and the sdk's retry releases what was taken and runs again, a bounded number of times, before it reports the cycle. Sorted updates of many intents never deadlock.",
    B7: "At least 2,000 status updates a second over 1,000 intents, lock acquisition under 5 ms at p95, and 50 re-evaluations of one intent at once all succeed under 200 ms at p95.",
    B9: "The specified matrix of 38 cases exists as data, and each of its rows is proven.",
    B10: "The audit log is append-only, in the store or in a local file in position order. A kill leaves no gap and no repeat.",
    B11: "Audit events record status changes, bridge starts, completions and failures, and re-evaluations, with their actor. Each kind of failure has its own named error.",
    B12: "A guide with a decision tree helps to choose a strategy, and tests cover over 80 % of the lines of locks, entities and intents.",
  },
  workspace: {
    W4: "A table says which operation on projects, maps and sketches needs which lock, at which level, in which scope. Agents that edit different sketches do not deny each other, and an ambiguous scope is refused with the open question.",
    W6: "Files are published in ten ordered steps, each time into a new directory that the manifest names. After any crash manifest and disk agree.",
    W7: "SQLite runs in WAL mode with one short-lived writer, every list has a limit, there is no unbounded scan and no nested transaction.",
    W8: "Jobs obey global and per-project caps and classes, which no agent can change. Queueing is fair: two backlogged projects with equal jobs differ by at most one start.",
    W9: "A job takes its locks early and in order, releases them as soon as it can, holds none while it waits or calls out, and fails with a logged reason after bounded retries.",
    W12: "Every operation of the rule table is real and is refused without its lock. The bounds of bulk work hold exactly: 1,000 objects on a map, 100 in a sketch.",
    W13: "An agent can not add lock types, change leases, caps, order or rules, or write around a lock. The refusal is audited.",
  },
  mcp: {
    X8: "One contract is served through six doors: HTTP, socket, sdk, command line, NATS and MCP.",
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
