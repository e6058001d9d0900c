import type { PlantedMutant } from "./planted-mutant.ts";

const client = "sdk/src/client";

export const clientMutants: readonly PlantedMutant[] = [
  {
    name: "a write without a key is sent again",
    file: `${client}/repeatable.ts`,
    find: "return key !== undefined || isRead(operation) || isSameTwice(operation, input);",
    put: "return key !== undefined || isRead(operation) || isSameTwice(operation, input) || true;",
    by: "test/socket/reconnect.test.ts",
  },
  {
    name: "whoever waits is sent into the line again",
    file: `${client}/repeatable.ts`,
    find: '["acquire-lock", ({ wait }) => wait !== true],',
    put: '["acquire-lock", () => true],',
    by: "test/socket/reconnect.test.ts",
  },
  {
    name: "a refusal that says never is tried again",
    file: `${client}/retry.ts`,
    find: '    case "never":\n    case "new-key-after-read":\n      return undefined;',
    put: '    case "never":\n    case "new-key-after-read":\n      return call.backoffMs;',
    by: "test/client/retry.test.ts",
  },
  {
    name: "after a break a watch goes on from where it was first",
    file: `${client}/socket-watcher.ts`,
    find: "this.#cursor = cursor ?? this.#cursor;",
    put: "this.#cursor ??= cursor;",
    by: "test/socket/reconnect.test.ts",
  },
  {
    name: "whoever has lost a lock is not told by its signal",
    file: `${client}/locks/held-grant.ts`,
    find: "this.#controller.abort(new LockLostError(why, { fence: this.fence, paths: this.pathNames }, data));",
    put: "void [why, data, LockLostError];",
    by: "test/client/losses.test.ts",
  },
  {
    name: "a heartbeat counts although its answer came after the lease",
    file: `${client}/locks/held-grant.ts`,
    find: "if (isSince && isAwake && answeredAt.monotonicMs < this.deadlineMs) this.renew(sentAt);",
    put: "if (isSince && isAwake) this.renew(sentAt);",
    by: "test/client/held-grant.test.ts",
  },
  {
    name: "nobody looks whether the computer slept",
    file: `${client}/locks/held-grant.ts`,
    find: "const isAwake = answeredAt.wallMs < this.#wallDeadlineMs;",
    put: "const isAwake = answeredAt.wallMs < Infinity;",
    by: "test/client/held-grant.test.ts",
  },
  {
    name: "the lease of a lock that was waited for is counted from the event that told of it",
    file: `${client}/locks/hold-at-push.ts`,
    find: "sentAt: askedAt,",
    put: "sentAt: now,",
    by: "test/client/at-push.test.ts",
  },
  {
    name: "whoever gives up takes the place from the one who shares it",
    file: `${client}/locks/stand-in-line.ts`,
    find: 'if (ticket.isShared) return { kind: "gave-up", data };',
    put: "",
    by: "test/client/same-place.test.ts",
  },
  {
    name: "what was left behind is given back although another task has it by the same fence",
    file: `${client}/locks/leftovers.ts`,
    find: 'else if (one.kind === "ticket" || !this.#owner.wants(set)) return one;',
    put: "else return one;",
    by: "test/client/waiting.test.ts",
  },
  {
    name: "a lock is released while a question for it is under way",
    file: `${client}/locks/set-turns.ts`,
    find: "while (this.#asked.has(set) || this.#alone.has(set)) await this.#change(set);",
    put: "while (this.#alone.has(set)) await this.#change(set);",
    by: "test/client/same-place.test.ts",
  },
  {
    name: "a lock that comes when its waiter has gone is kept",
    file: `${client}/locks/acquire.ts`,
    find: "(given) => leave(isTaken ? undefined : leftOf(given)),",
    put: "(given) => leave(isTaken ? undefined : void leftOf(given)),",
    by: "test/client/left-behind.test.ts",
  },
  {
    name: "a number of an agent is never given to another",
    file: `${client}/socket-speakers.ts`,
    find: "const [longest] = this.#silent;",
    put: "const [longest] = [...this.#silent].slice(this.#silent.size);",
    by: "test/socket/many-agents.test.ts",
  },
  {
    name: "who asks again for a shorter lease counts on the longer one",
    file: `${client}/locks/asked-lease.ts`,
    find: "return held === undefined ? input : {",
    put: "return held === undefined || held.ttlMs > 0 ? input : {",
    by: "test/client/leases.test.ts",
  },
];
