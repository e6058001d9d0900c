/** A history of agents and locks with every type of their events, for a fixture. */
import { defined } from "@holdfast/sdk/base/defined";
import { withdrawalKey } from "@holdfast/sdk/contract";
import type { Command, Outcome } from "../server/src/machine/entry.ts";
import type { Json, JsonObject } from "../sdk/src/json/json.ts";
import { randomOf } from "../test/machine/sample-history.ts";

/** Records a history: decides one command after another, and lets time pass in between. */
export interface LockRecorder {
  decide(command: Omit<Command, "id">, grace?: boolean): Outcome;
  pass(durationMs: number): void;
}

export function recordLocks(recorder: LockRecorder): void {
  const scene = new Scene(recorder);
  scene.agents();
  scene.waiting();
  scene.twice();
  scene.tied();
  scene.partly();
  scene.leases();
  scene.endings();
  scene.crowd();
  scene.missed();
  scene.withdrawn();
  scene.chance(400);
}

class Scene {
  readonly #recorder: LockRecorder;
  #keyCount = 0;

  constructor(recorder: LockRecorder) {
    this.#recorder = recorder;
  }

  /** A command with a key, so that refusals are recorded too. */
  #ask(operation: string, input: JsonObject, more: { agent?: string; grace?: boolean } = {}): JsonObject {
    const key = `locks-${String((this.#keyCount += 1))}`;
    const author = defined({ agent: more.agent });
    return this.#recorder.decide({ operation, principal: "fixture", key, input, ...author }, more.grace).data;
  }

  #self(operation: string, input: Json): void {
    this.#recorder.decide({ operation, principal: "holdfast", input });
  }

  #acquire(owner: string, paths: readonly Json[], more: JsonObject = {}): { fence: string; ticket: string } {
    const input = { paths, owner_id: owner, ttl_seconds: 60, ...more };
    return this.#ask("acquire-lock", input) as unknown as { fence: string; ticket: string };
  }

  /** Withdraws an acquire by its key. The evidence is that of a request that has arrived. */
  #withdraw(owner: string, key: string, isKnown = true): void {
    const request = { operation: "acquire-lock", key };
    const evidence = isKnown ? { evidence: { position: 1, owner_id: owner } } : {};
    const input = { ...request, owner_id: owner };
    const command = { operation: "withdraw-request", principal: "fixture", key: withdrawalKey(request), input };
    this.#recorder.decide({ ...command, ...evidence });
  }

  #register(input: JsonObject): string {
    return this.#ask("register-agent", input)["agent_id"] as string;
  }

  agents(): void {
    const ann = this.#register({ own_key: "ann", name: "Ann", purpose: "work", secret_hash: "0".repeat(64) });
    this.#register({ own_key: "ann", secret_hash: "1".repeat(64) });
    this.#register({ parent: "nobody" });
    const child = this.#register({ parent: ann, parent_waits: true, inactivity_seconds: 20 });
    this.#self("renew-agents", { beats: [ann, "nobody"], signs: [child] });
    this.#ask("end-agent", { agent_id: ann }, { agent: child });
    const { fence } = this.#ask("acquire-lock", { paths: ["project/p/map/m"] }, { agent: child });
    this.#ask("acquire-lock", { paths: ["a"], ttl_seconds: 30, wait: true }, { agent: ann });
    this.#ask("end-agent", { reason: "done" }, { agent: ann });
    this.#recorder.pass(200_000);
    this.#self("expire-lock", { fence: fence ?? "" });
  }

  waiting(): void {
    const a = this.#acquire("a", ["w/1"], { mode: "upgradeable", purpose: "reads", metadata: { n: 1 } });
    const b = this.#acquire("b", ["w/1"], { mode: "read", note: "first page" });
    this.#acquire("c", ["w"]);
    const c = this.#acquire("c", ["w", "x"], { wait: true });
    this.#ask("upgrade-lock", { fence: a.fence, wait: true, owner_id: "a" });
    this.#ask("upgrade-lock", { fence: b.fence, wait: true, owner_id: "b" });
    this.#acquire("b", ["x", "y/1"], { mode: "read" });
    this.#acquire("b", ["y"], { max_hold_seconds: 100 });
    const d = this.#acquire("d", ["y/2"], { wait: true, ticket_seconds: 600 });
    const e = this.#acquire("e", ["y/2"], { wait: true, mode: "read" });
    this.#acquire("d", ["z"]);
    this.#acquire("b", ["z"], { wait: true });
    this.#ask("accept-lock", { ticket: d.ticket, owner_id: "d" });
    this.#ask("request-release", { path: "y", reason: "I am next", owner_id: "d" });
    this.#ask("release-lock", { paths: ["w/1"], note: "done", owner_id: "b" });
    this.#ask("release-lock", { paths: ["y"], owner_id: "b" });
    this.#ask("accept-lock", { ticket: d.ticket, owner_id: "d" });
    this.#ask("cancel-ticket", { ticket: e.ticket, owner_id: "e" });
    this.#ask("cancel-ticket", { ticket: c.ticket, owner_id: "x" });
    this.#ask("downgrade-lock", { path: "w/1", mode: "read", owner_id: "a" });
    this.#ask("transfer-lock", { path: "w/1", to: "f", owner_id: "a" });
    this.#ask("release-lock", { fence: a.fence, owner_id: "a" });
    this.#recorder.pass(31_000);
    this.#self("expire-ticket", { ticket: c.ticket });
  }

  /** One owner queues for the same path several times, and then as a reader of the path that it waits to write. */
  twice(): void {
    const a = this.#acquire("a", ["tw"]);
    for (const owner of ["b", "b"]) this.#acquire(owner, ["tw"], { wait: true });
    this.#acquire("b", ["tw"], { wait: true, mode: "read" });
    this.#acquire("c", ["tw"], { wait: true });
    this.#ask("release-lock", { fence: a.fence, owner_id: "a" });
    this.#acquire("b", ["tw"], { wait: true });
  }

  /** Two requests share a lock, two share a ticket, and each is withdrawn. Others are over, or never arrive. */
  withdrawn(): void {
    const keys = [
      ["wa", "wa"],
      ["wb", "wb"],
    ].map((owners) =>
      owners.map((owner) => {
        this.#acquire(owner, ["wd"], { wait: true });
        return { owner, key: `locks-${String(this.#keyCount)}` };
      }),
    );
    for (const { owner, key } of keys.reverse().flat()) this.#withdraw(owner, key);
    this.#acquire("wc", ["wd"]);
    const ended = `locks-${String(this.#keyCount)}`;
    this.#ask("release-lock", { paths: ["wd"], owner_id: "wc" });
    this.#withdraw("wc", ended);
    this.#withdraw("wc", "never sent", false);
  }

  /** Waits that would never end: behind an owner that is queued already, and behind waiters for a released lock. */
  tied(): void {
    const wait = { wait: true, ticket_seconds: 600 };
    this.#acquire("ann", ["t/a"]);
    this.#acquire("ann", ["t/q"]);
    this.#acquire("kim", ["t/b"]);
    this.#acquire("cid", ["t/p"]);
    this.#acquire("bob", ["t/a", "t/p"], wait);
    this.#acquire("dan", ["t/a", "t/q"], wait);
    this.#acquire("ann", ["t/a", "t/b"], wait);
    this.#acquire("cid", ["t/a"], wait);
    this.#ask("release-lock", { paths: ["t/a"], owner_id: "ann" });
    this.#recorder.pass(700_000);
  }

  /** A part is released while an upgrade of the whole waits. A granted ticket is used without being accepted. */
  partly(): void {
    const first = this.#acquire("u", ["v/1", "v/2"], { mode: "upgradeable" });
    this.#acquire("r", ["v/1", "v/2"], { mode: "read" });
    this.#ask("upgrade-lock", { fence: first.fence, wait: true, owner_id: "u" });
    this.#ask("release-lock", { paths: ["v/1"], owner_id: "u" });
    const held = this.#acquire("a", ["v/3"]);
    this.#acquire("b", ["v/3"], { wait: true });
    this.#ask("release-lock", { fence: held.fence, owner_id: "a" });
    this.#ask("downgrade-lock", { path: "v/3", mode: "read", owner_id: "b" });
    this.#recorder.pass(15_000);
    this.#ask("renew-lock", { path: "v/3", owner_id: "b" });
    for (let index = 0; index < 20; index += 1)
      this.#acquire("many", ["v/4", `v/5/${String(index)}`], { mode: "read" });
    this.#acquire("many", ["v/4"], { mode: "read" });
    this.#acquire("many", ["v/4"], { mode: "read" });
    this.#recorder.pass(100_000);
  }

  leases(): void {
    const kinds = { bench: { shape: "bench", policy: "recover", ttl_seconds: 5, grace_seconds: 20, order: 7 } };
    this.#ask("configure-locks", { enforce: ["plan"], kinds });
    this.#ask("configure-locks", { lock_manager: false }, { agent: "nobody" });
    const stale = this.#acquire("a", ["bench/1"], { ttl_seconds: 5 });
    const held = this.#acquire("a", ["l/1", "l/2", "l/3"], { hold_off_seconds: 5 });
    this.#ask("renew-lock", { fence: held.fence, ttl_seconds: 10, note: "half", owner_id: "a" });
    this.#acquire("a", ["l/1", "l/2", "l/3"], { ttl_seconds: 20 });
    this.#acquire("b", ["bench/0"], { wait: true, ttl_seconds: 5 });
    this.#ask("force-release", { fence: stale.fence, reason: "stuck" });
    this.#recorder.pass(21_000);
    this.#acquire("b", ["l"], { wait: true });
    this.#ask("force-release", { fence: stale.fence, reason: "stuck" });
    const again = this.#acquire("c", ["bench/1"], { ttl_seconds: 5 });
    this.#ask("override-release", { fence: again.fence, reason: "on fire" });
    const late = this.#acquire("c", ["bench/1"], { ttl_seconds: 5 });
    this.#ask("create-entity", { type: "plan", id: "1", value: {} });
    this.#acquire("c", ["plan"]);
    this.#ask("create-entity", { type: "plan", id: "2", value: {} });
    this.#acquire("d", ["plan"], { wait: true, ticket_seconds: 600 });
    this.#recorder.pass(100_000);
    this.#ask("create-entity", { type: "plan", id: "3", value: {} });
    this.#ask("create-entity", { type: "plan", id: "4", value: {} });
    this.#recorder.pass(21_000);
    this.#ask("renew-lock", { fence: late.fence, owner_id: "c" }, { grace: true });
    this.#recorder.pass(21_000);
    this.#self("expire-lock", { fence: late.fence });
  }

  /** A family of agents that has more locks than fit into one entry, and blocks a waiter. */
  endings(): void {
    const parent = this.#register({ name: "parent", inactivity_seconds: 600 });
    const child = this.#register({ parent, inactivity_seconds: 600 });
    const set = (name: string, size: number): JsonObject => ({
      paths: Array.from({ length: size }, (_, index) => `${name}/${String(index)}`),
      ttl_seconds: 3_600,
    });
    this.#ask("acquire-lock", set("b/0", 1_000), { agent: child });
    const { fence } = this.#ask("acquire-lock", set("b/1", 1_000), { agent: parent });
    this.#ask("acquire-lock", set("b/2", 30), { agent: parent });
    this.#ask("acquire-lock", { paths: ["b/0/5"], ttl_seconds: 60, wait: true }, { agent: parent });
    this.#acquire("next", ["b/1/9"], { wait: true, ticket_seconds: 3_600 });
    this.#recorder.pass(700_000);
    this.#self("expire-agent", { agent_id: parent });
    this.#self("free-ended", { owner_id: parent });
    this.#self("continue-handover", { blocker_id: fence ?? "" });
  }

  /** More readers share a path than one event names. */
  crowd(): void {
    for (let reader = 0; reader < 30; reader += 1) {
      this.#acquire(`reader-${String(reader)}`, ["shared"], { mode: "read" });
    }
    for (let reader = 0; reader < 30; reader += 2) {
      this.#ask("release-lock", { paths: ["shared"], owner_id: `reader-${String(reader)}` });
    }
  }

  /** An agent accepts a grant too late, and its next acquire shows it. */
  missed(): void {
    const late = this.#register({ name: "late", inactivity_seconds: 600 });
    const held = this.#acquire("early", ["missed"]);
    const input = { paths: ["missed"], ttl_seconds: 60 };
    this.#ask("acquire-lock", { ...input, wait: true, ticket_seconds: 90, accept_seconds: 5 }, { agent: late });
    this.#ask("release-lock", { fence: held.fence, owner_id: "early" });
    this.#recorder.pass(5_000);
    this.#ask("acquire-lock", input, { agent: late });
  }

  /** Random commands of random owners on a few paths. */
  chance(count: number): void {
    const random = randomOf(77);
    const fences = ["1.1"];
    const tickets = ["1.1"];
    for (let index = 0; index < count; index += 1) {
      const owner_id = `o${String(random(5))}`;
      const paths = Array.from({ length: 1 + random(2) }, () => ({
        path: ["r", "r/1", "r/1/2", "r/3", "s"][random(5)] ?? "r",
        mode: ["read", "upgradeable", "write"][random(3)] ?? "read",
        scope: random(3) === 0 ? "self" : "tree",
      }));
      const held = { fence: fences[fences.length - 1 - random(Math.min(8, fences.length))] ?? "", owner_id };
      const ticket = tickets[tickets.length - 1 - random(Math.min(4, tickets.length))] ?? "";
      const requests: readonly (readonly [string, JsonObject])[] = [
        ["acquire-lock", { paths, owner_id, ttl_seconds: 1 + random(4), wait: random(3) > 0 }],
        ["acquire-lock", { paths, owner_id, ttl_seconds: 1 + random(9) }],
        ["release-lock", held],
        ["release-lock", { paths: [paths[0]?.path ?? ""], owner_id }],
        ["upgrade-lock", { ...held, wait: random(2) === 0 }],
        ["downgrade-lock", { ...held, mode: "read" }],
        ["transfer-lock", { ...held, to: `o${String(random(5))}` }],
        ["accept-lock", { ticket, owner_id }],
        ["cancel-ticket", { ticket, owner_id }],
        ["force-release", { fence: held.fence, reason: "chance" }],
      ];
      const [operation, input] = requests[Math.min(random(14), random(12))] ?? requests[0] ?? ["", {}];
      const data = this.#ask(operation, input, { grace: random(12) === 0 });
      if (typeof data["fence"] === "string" && data["granted"] === true) fences.push(data["fence"]);
      if (typeof data["ticket"] === "string" && data["granted"] === false) tickets.push(data["ticket"]);
      this.#recorder.pass(random(400));
    }
  }
}
