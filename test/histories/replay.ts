/**
 * The main checker. Every answer names its position, so the order is known. The checker replays the journal in order with a
 * plain model of its own, and each answer must match the model at its position. Nothing acknowledged may be missing and
 * nothing may have happened twice. A call that ended before another one began may not come after it.
 */
import type { JournalItem } from "holdfast";
import { withdrawalKey } from "@holdfast/sdk/contract";
import { broken, withdrawnCode } from "./history-call.ts";
import type { HistoryCall } from "./history-call.ts";
import { isLaterFence } from "./fences.ts";
import { checkRealTime } from "./real-time.ts";
import { initialState } from "./subject-model.ts";
import type { SubjectState } from "./subject-model.ts";

type ShownName = "version" | "number" | "owner" | "fence" | "lastFence";

type Shown = { -readonly [Name in ShownName]: SubjectState[Name] } & {
  /** End of the lease in milliseconds since 1970; undefined for a lock that is renewed. */
  expires: number | undefined;
};

export interface ReplayFigures {
  readonly entries: number;
  readonly answersChecked: number;
  readonly grants: number;
  readonly expiries: number;
  readonly conflicts: number;
  readonly withdrawals: number;
}

/** The journal after the creation of the entities. Entries about other subjects are ignored. */
export function checkReplay(
  calls: readonly HistoryCall[],
  journal: readonly JournalItem[],
  subjects: readonly string[],
): ReplayFigures {
  const walk = new Walk(calls, subjects, (journal[0]?.position ?? 1) - 1);
  for (const item of journal) walk.enter(item);
  walk.end();
  checkRealTime(calls);
  return walk.figures;
}

class Walk {
  readonly #shown = new Map<string, Shown>();
  readonly #byKey = new Map<string, HistoryCall>();
  readonly #byNumber = new Map<number, HistoryCall>();
  readonly #readers = new Map<number, HistoryCall[]>();
  readonly #done = new Map<HistoryCall, number>();
  /** The keys of the acquires whose withdrawal is in the journal. */
  readonly #withdrawn = new Set<string>();
  readonly #calls: readonly HistoryCall[];
  #position = 0;
  #time = 0;
  readonly #counts = { entries: 0, answersChecked: 0, grants: 0, expiries: 0, conflicts: 0, withdrawals: 0 };

  constructor(calls: readonly HistoryCall[], subjects: readonly string[], position: number) {
    this.#calls = calls;
    this.#position = position;
    for (const subject of subjects) {
      this.#shown.set(subject, { ...initialState, expires: undefined });
    }
    for (const call of calls) {
      const { key, request, answer } = call;
      if (key !== undefined) this.#byKey.set(key, call);
      if (request.kind === "withdraw") {
        this.#byKey.set(withdrawalKey({ operation: "acquire-lock", key: request.acquire }), call);
      }
      if (request.kind === "write") this.#byNumber.set(request.number, call);
      if (answer !== undefined && leavesNoEntry(call)) {
        this.#readers.set(answer.position, [...(this.#readers.get(answer.position) ?? []), call]);
      }
    }
  }

  get figures(): ReplayFigures {
    return this.#counts;
  }

  enter(item: JournalItem): void {
    if (item.position !== this.#position + 1) broken("positions have no gap", [this.#position, item.position]);
    if (Date.parse(item.time) < this.#time) broken("time does not go back", item);
    this.#position = item.position;
    this.#time = Date.parse(item.time);
    this.#counts.entries += 1;
    const call = this.#callOf(item);
    if (call !== undefined) this.#matchAnswer(call, item);
    for (const event of item.events) this.#follow(event, item, call);
    for (const reader of this.#readers.get(item.position) ?? []) this.#checkRead(reader);
  }

  /** Every call that was acknowledged as done or as a conflict has its entry. */
  end(): void {
    for (const call of this.#calls) {
      const { answer } = call;
      if (answer === undefined) continue;
      if (answer.position > this.#position) broken("an acknowledged call is in the journal", call);
      if (!leavesNoEntry(call) && this.#done.get(call) === undefined) {
        broken("an acknowledged call is in the journal", call);
      }
    }
  }

  #callOf({ key, input }: JournalItem): HistoryCall | undefined {
    if (key !== undefined) return this.#byKey.get(key);
    const { merge } = input as { readonly merge?: { readonly number?: number } };
    return merge?.number === undefined ? undefined : this.#byNumber.get(merge.number);
  }

  #matchAnswer(call: HistoryCall, item: JournalItem): void {
    const before = this.#done.get(call);
    if (before !== undefined) broken("nothing happens twice", { call, positions: [before, item.position] });
    this.#done.set(call, item.position);
    const { request, key = "", answer } = call;
    if (request.kind === "withdraw") this.#noteWithdrawal(request.acquire);
    else if (this.#withdrawn.has(key)) broken("a withdrawn request never happens", { call, position: item.position });
    if (answer === undefined || answer.code === withdrawnCode) return;
    const code = item.outcome.kind === "done" ? "done" : item.outcome.code;
    if (answer.position !== item.position || answer.code !== code) {
      broken("an answer matches its entry", { call, position: item.position, code });
    }
    this.#counts.answersChecked += 1;
  }

  #noteWithdrawal(acquire: string): void {
    this.#withdrawn.add(acquire);
    this.#counts.withdrawals += 1;
  }

  #follow(event: JournalItem["events"][number], item: JournalItem, call: HistoryCall | undefined): void {
    const data = event.data as Readonly<Record<string, unknown>>;
    const shown = this.#shown.get(event.type.startsWith("lock.") ? String(data["resource_id"]) : event.subject);
    if (shown === undefined) return;
    switch (event.type) {
      case "entity.merged":
      // Some changes are stored as a whole value, so that old versions are found quickly.
      case "entity.replaced":
        this.#change(shown, data, item, call);
        return;
      case "entity.conflict":
        this.#counts.conflicts += 1;
        if (data["current_version"] !== shown.version) broken("a conflict names the version that is there", item);
        return;
      case "lock.acquired":
        this.#grant(shown, data, item, call);
        return;
      case "lock.released":
      case "lock.expired":
        this.#free(shown, event.type, data, item);
        return;
      default:
    }
  }

  #change(
    shown: Shown,
    data: Readonly<Record<string, unknown>>,
    item: JournalItem,
    call: HistoryCall | undefined,
  ): void {
    const content = (data["merge"] ?? data["value"]) as { readonly number?: number };
    if (data["version"] !== shown.version + 1) broken("versions have no gap", item);
    if (call?.request.kind === "write") {
      const { expected = shown.version, fence = shown.fence } = call.request;
      if (expected !== shown.version) broken("a write changes only the version that it expects", item);
      if (fence !== shown.fence) broken("a stale fence writes nothing", item);
    }
    shown.version += 1;
    shown.number = content.number ?? 0;
    const reported = call?.answer?.version ?? shown.version;
    if (reported !== shown.version)
      broken("a write reports the version that it made", { call, version: shown.version });
  }

  #grant(
    shown: Shown,
    data: Readonly<Record<string, unknown>>,
    item: JournalItem,
    call: HistoryCall | undefined,
  ): void {
    const fence = String(data["fence"]);
    this.#counts.grants += 1;
    if (shown.owner !== undefined) broken("a lock has one holder", { item, holder: shown });
    if (!isLaterFence(fence, shown.lastFence)) broken("fences always increase", { item, before: shown.lastFence });
    Object.assign(shown, { owner: String(data["owner_id"]), fence, lastFence: fence, expires: undefined });
    if (call?.request.kind !== "acquire") return;
    shown.expires = Date.parse(String(data["expires_at"]));
    if (call.answer?.code === "done" && call.answer.fence !== fence)
      broken("a grant reports its fence", { call, fence });
  }

  #free(shown: Shown, type: string, data: Readonly<Record<string, unknown>>, item: JournalItem): void {
    if (shown.fence !== data["fence"]) broken("only what is held is freed", { item, holder: shown });
    if (type === "lock.expired") {
      this.#counts.expiries += 1;
      if (Date.parse(item.time) < (shown.expires ?? 0))
        broken("no lease ends before its time", { item, holder: shown });
    }
    shown.owner = undefined;
    shown.fence = undefined;
  }

  /** An answer without an entry reports the state at its position. */
  #checkRead(call: HistoryCall): void {
    const { request, answer } = call;
    const shown = this.#shown.get(request.subject);
    this.#counts.answersChecked += 1;
    if (request.kind === "read") {
      if (answer?.version !== shown?.version || answer?.number !== shown?.number) {
        broken("a read reports the value at its position", { call, shown });
      }
    } else if (answer?.code === "lock_denied") {
      if (shown?.owner === undefined || shown.owner === ownerOf(call)) broken("a denied lock has another holder", call);
    } else this.#checkWithdrawn(call);
  }

  #checkWithdrawn({ answer, key = "" }: HistoryCall): void {
    const isKnown = answer?.code !== withdrawnCode || this.#withdrawn.has(key);
    if (!isKnown) broken("a withdrawn request has its withdrawal", { key, answer });
  }
}

function ownerOf({ request }: HistoryCall): string | undefined {
  return request.kind === "acquire" || request.kind === "release" ? request.owner : undefined;
}

/** Reads, and refusals without a key. A call with a key leaves an entry, regardless of its outcome. */
function leavesNoEntry({ request, key, answer }: HistoryCall): boolean {
  if (request.kind === "read") return true;
  if (request.kind === "withdraw") return false;
  // The withdrawal refused it, or an answer to an earlier attempt was lost and its entry has it.
  if (answer?.code === withdrawnCode) return true;
  return key === undefined && answer?.code !== "done" && answer?.code !== "concurrency_mismatch";
}
