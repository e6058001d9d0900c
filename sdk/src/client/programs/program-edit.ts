/** The functions of an edit, and its bounds. */
export interface ProgramEdit<Write extends string = string, Read extends string = string> {
  /** The functions that it changes. They are locked for writing. */
  readonly write?: readonly Write[];
  /** The functions that it reads, such as those of new calls. They are locked for reading. */
  readonly read?: readonly Read[];
  /** Locks the structure, so that no other agent adds, removes or renames. True if no function is named. */
  readonly structure?: boolean;
  /** The purpose of the locks, for other agents. It is also the description of the mutation. */
  readonly purpose?: string;
  /** Maximum wait for the locks; without it the edit waits until it gets them. */
  readonly waitMs?: number;
  /** Maximum attempts while other agents change the same functions; 5 by default. */
  readonly tries?: number;
  /** Maximum further attempts after a failed check; 0 by default. */
  readonly repairs?: number;
  readonly signal?: AbortSignal;
}
