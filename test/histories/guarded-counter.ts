/**
 * A resource outside of Holdfast that can compare fences and nothing else. Clients read it, pause, and write the value plus
 * one. A client that still relies on a lost lock would undo the write of another client.
 */
import { broken } from "./history-call.ts";
import { isLaterFence } from "./fences.ts";

export class GuardedCounter {
  #highest = "0.0";
  #value = 0;
  #accepted = 0;
  refused = 0;

  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Undefined if the fence is older than one that was seen. A read counts as well, because the next write depends on
   * it.
   */
  read(fence: string): number | undefined {
    return this.#admits(fence) ? this.#value : undefined;
  }

  write(fence: string, value: number): boolean {
    if (!this.#admits(fence)) return false;
    if (value !== this.#value + 1) broken("no write under a fence is lost", { fence, value, there: this.#value });
    this.#value = value;
    this.#accepted += 1;
    return true;
  }

  #admits(fence: string): boolean {
    if (isLaterFence(this.#highest, fence)) {
      this.refused += 1;
      return false;
    }
    this.#highest = fence;
    return true;
  }
}
