import type { Notice } from "@holdfast/sdk/contract";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";

/** Makes the notices with one word. The contract declares the word and its members. */
export interface NoticeSource {
  readonly word: string;
  /** Event types. Only an entry with one of them is passed to `take`. */
  readonly events: readonly string[];
  /** The current notices of an owner, for a new listener. It may scan. */
  begin(state: StateReader, owner: string): readonly Notice[];
  /**
   * The notices that follow from an entry, each for the owner that it names. The state is the newest one and may include
   * later entries. It looks up rows by key, because it delays all commands while it runs.
   */
  take(state: StateReader, entry: Entry): readonly Notice[];
  /** A notice with its largest members left out, for a listener with many unread bytes. */
  brief?(notice: Notice): Notice;
  /** Work after `take` that waits, such as a read of the history. */
  settle?(): Promise<void>;
  /** The last listener of an owner left. */
  forget?(owner: string): void;
}

/** Where a source sends notices that follow from time and not from an entry. */
export interface NoticeOutlet {
  readonly notify: (notice: Notice) => void;
  readonly isListening: (owner: string) => boolean;
}
