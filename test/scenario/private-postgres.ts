/** A real Postgres for a test. If there can be none, the test fails and says what is missing; it is never skipped. */
import { join } from "node:path";
import type { Pair } from "./certificates.ts";
import { startProgram } from "./program.ts";

export interface PrivatePostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** One that a test may treat badly. */
export interface OwnPostgres extends PrivatePostgres {
  /**
   * `stop` and `crash` end it, in order or not; while it is stopped `save` and `restore` copy its files, and `standby` makes
   * it start as a replica.
   */
  order(word: "stop" | "crash" | "start" | "save" | "restore" | "standby"): Promise<void>;
}

export interface PostgresWishes {
  /** It waits for the disk, as a real one does. */
  readonly isDurable?: boolean;
  /** It lets nobody in without TLS, and shows this. */
  readonly tls?: Pair;
}

/** Starts one that nobody else uses, whatever else is there. */
export async function startOwnPostgres({ isDurable = false, tls }: PostgresWishes = {}): Promise<OwnPostgres> {
  const words = [...(isDurable ? ["durable"] : []), ...(tls === undefined ? [] : ["tls", tls.cert, tls.key])];
  const keeper = startProgram(join(import.meta.dirname, "postgres-keeper.ts"), words, { inputStaysOpen: true });
  const url = await keeper.line(/^postgres:/);
  return {
    url,
    order: (word) => keeper.ask(word),
    async stop() {
      keeper.endInput();
      await keeper.ended;
    },
  };
}

/**
 * Starts one that nobody else uses. With HOLDFAST_TEST_POSTGRES, the URL of a server, that one is used and left running; so
 * a test works in a schema of its own and drops it.
 */
export async function startPostgres(): Promise<PrivatePostgres> {
  const given = process.env["HOLDFAST_TEST_POSTGRES"] ?? "";
  if (given !== "") return { url: given, stop: () => Promise.resolve() };
  return startOwnPostgres();
}
