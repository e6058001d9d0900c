import type { DeniedLock, LeftBefore, Lock, LockHolder, QueuePlace } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import type { Terminal } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { type HolderSummary, holderLine, previousHoldLine } from "../terminal/lock-table.ts";
import { truncateToWidth } from "../terminal/table.ts";

/** A holder with the members of the wire, as every JSON output of this program has them. */
const wireHolder = ({ ownerId, ...rest }: LockHolder): HolderSummary & Omit<LockHolder, "ownerId"> => ({
  owner_id: ownerId,
  ...rest,
});

/** Interval between two redraws of the waiting line. */
const redrawIntervalMs = 1_000;

/**
 * Writes the events of a lock to standard error, as lines for people or as lines of JSON. At a terminal the waiting line
 * is redrawn every second. Standard output belongs to the command.
 */
export class LockMessages {
  readonly #terminal: Terminal;
  readonly isJson: boolean;
  #place: QueuePlace | undefined;
  #pace: string | undefined;
  #cancelDrawing: () => void = () => undefined;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.isJson = isJson;
  }

  write(event: string, json: Readonly<Record<string, unknown>>, text: string | undefined): void {
    this.#endDrawing();
    if (this.isJson) this.#terminal.warn(jsonLine({ event, ...json }));
    else if (text !== undefined) this.#terminal.warn(`holdfast: ${text}`);
  }

  /** A line that other parts of the command line write. */
  note(line: string): void {
    const text = line.replace(/^holdfast: /u, "");
    this.write("note", { message: text }, text);
  }

  waiting(place: QueuePlace): void {
    this.#place = place;
    if (this.isJson || this.#terminal.draw === undefined) {
      const json = { place: place.place, waits_for: place.waitsFor.map(wireHolder) };
      this.write("waiting", json, this.#waitingLine(place));
    } else this.#draw();
  }

  /** `labelOf` names the agents of previous holds in the lines for people. */
  granted(lock: Lock, leftBefore: readonly LeftBefore[], labelOf: (id: string) => string): void {
    const paths = lock.paths.map(({ path }) => escapeControlChars(path)).join(", ");
    const unreleased = leftBefore.filter(({ how }) => how !== "released");
    const json = {
      fence: lock.fence,
      owner_id: lock.ownerId,
      paths: lock.paths,
      expires_at: lock.expiresAt.toISOString(),
      left_before: leftBefore,
    };
    this.write("granted", json, `got ${paths} (fence ${lock.fence})`);
    if (this.isJson) return;
    for (const hold of unreleased) {
      const line = previousHoldLine({ ...hold, by: labelOf(hold.by) }, systemClock.wallMs());
      this.write("", {}, `note: ${line}`);
    }
  }

  denied(paths: readonly string[], denied: DeniedLock): void {
    const nowMs = systemClock.wallMs();
    const holders = denied.holders.map((holder) => holderLine(wireHolder(holder), nowMs));
    const reason = holders.length === 0 ? escapeControlChars(denied.reason) : holders.join("; ");
    const next = "Wait with --wait, or ask the holder with `holdfast ask`.";
    const text = `lock_denied: cannot lock ${paths.map(escapeControlChars).join(", ")}: ${reason}. ${next}`;
    this.write("denied", { code: "lock_denied", holders: denied.holders.map(wireHolder), place: denied.place }, text);
  }

  /** The duration of recent holds, for the waiting line. */
  showPace(pace: string | undefined): void {
    this.#pace = pace;
  }

  #waitingLine({ place, waitsFor }: QueuePlace): string {
    const nowMs = systemClock.wallMs();
    const holders = waitsFor.map((holder) => holderLine(wireHolder(holder), nowMs)).join("; ");
    const pace = this.#pace === undefined ? "" : `; ${this.#pace}`;
    return `waiting at queue position ${place}: ${holders}${pace}`;
  }

  #draw(): void {
    if (this.#place === undefined) return;
    this.#cancelDrawing();
    this.#terminal.draw?.(truncateToWidth(`holdfast: ${this.#waitingLine(this.#place)}`, this.#terminal.width - 1));
    this.#cancelDrawing = systemClock.after(redrawIntervalMs, () => this.#draw(), { keepAlive: false });
  }

  #endDrawing(): void {
    this.#cancelDrawing();
    if (this.#place !== undefined && !this.isJson) this.#terminal.draw?.("");
    this.#place = undefined;
  }
}
