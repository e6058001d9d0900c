import type { DeniedLock, Lock } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import type { Terminal } from "../command.ts";
import { harmless } from "../terminal/harmless.ts";
import { type HolderFacts, holderWords, leftWords } from "../terminal/lock-lines.ts";
import { cutTo } from "../terminal/table.ts";

/** A place in the line, as the client tells of it. */
export interface Place {
  readonly place: number;
  readonly waitsFor: readonly HolderFacts[];
  readonly estimateMs: number | null;
}

const redrawnEveryMs = 1_000;

/**
 * What goes on around a lock, on standard error: lines for people, one of them drawn anew every second while they wait
 * at a terminal; or lines of JSON. Standard output belongs to the command.
 */
export class LockTeller {
  readonly #terminal: Terminal;
  readonly #isJson: boolean;
  #place: Place | undefined;
  #cancelDrawing: () => void = () => undefined;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.#isJson = isJson;
  }

  tell(event: string, facts: Readonly<Record<string, unknown>>, words: string | undefined): void {
    this.#endDrawing();
    if (this.#isJson) this.#terminal.warn(jsonLine({ event, ...facts }));
    else if (words !== undefined) this.#terminal.warn(`holdfast: ${words}`);
  }

  waiting(place: Place): void {
    this.#place = place;
    if (this.#isJson || this.#terminal.draw === undefined) {
      const facts = { place: place.place, waits_for: place.waitsFor, estimate_ms: place.estimateMs };
      this.tell("waiting", facts, this.#waitingWords(place));
    } else this.#draw();
  }

  granted(lock: Lock, leftBefore: Awaited<ReturnType<Lock["leftBefore"]>>): void {
    const paths = lock.paths.map(({ path }) => harmless(path)).join(", ");
    const left = leftBefore.filter(({ how }) => how !== "released");
    const facts = {
      fence: lock.fence,
      owner_id: lock.ownerId,
      paths: lock.paths,
      expires_at: lock.expiresAt.toISOString(),
      left_before: leftBefore,
    };
    this.tell("granted", facts, `got ${paths} (fence ${lock.fence})`);
    if (this.#isJson) return;
    for (const each of left) this.tell("", {}, `note: ${leftWords(each, systemClock.wallMs())}`);
  }

  denied(paths: readonly string[], denied: DeniedLock): void {
    const nowMs = systemClock.wallMs();
    const holders = denied.holders.map((holder) => holderWords(holder, nowMs));
    const why = holders.length === 0 ? harmless(denied.reason) : holders.join("; ");
    const next = "Wait for it (longer), or ask for it with `holdfast request-release`.";
    const words = `lock_denied: ${paths.map(harmless).join(", ")} is not free: ${why}. ${next}`;
    this.tell("denied", { code: "lock_denied", holders: denied.holders, place: denied.place }, words);
  }

  #waitingWords({ place, waitsFor, estimateMs }: Place): string {
    const nowMs = systemClock.wallMs();
    const who = waitsFor.map((holder) => holderWords(holder, nowMs)).join("; ");
    const soon = estimateMs === null ? "" : `, about ${Math.ceil(estimateMs / 1_000)} s`;
    return `waiting, number ${place} in line${soon}: ${who}`;
  }

  #draw(): void {
    if (this.#place === undefined) return;
    this.#cancelDrawing();
    this.#terminal.draw?.(cutTo(`holdfast: ${this.#waitingWords(this.#place)}`, this.#terminal.width - 1));
    this.#cancelDrawing = systemClock.after(redrawnEveryMs, () => this.#draw(), { keepAlive: false });
  }

  #endDrawing(): void {
    this.#cancelDrawing();
    if (this.#place !== undefined && !this.#isJson) this.#terminal.draw?.("");
    this.#place = undefined;
  }
}
