/** A real Postgres for a test. If it cannot start, the test fails with the reason. It is never skipped. */
import { join } from "node:path";
import type { Pair } from "./certificates.ts";
import { startProgram } from "./program.ts";

export interface PrivatePostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that a test may stop, crash and restore. */
export interface OwnPostgres extends PrivatePostgres {
  /**
   * `stop` is an orderly shutdown, and `crash` is not. While it is stopped, `save` and `restore` copy its files, and
   * `standby` makes it start as a replica.
   */
  order(order: "stop" | "crash" | "start" | "save" | "restore" | "standby"): Promise<void>;
}

export interface PostgresOptions {
  /** Writes wait for the disk, as in production. */
  readonly isDurable?: boolean;
  /** The server accepts only TLS, and presents this certificate. */
  readonly tls?: Pair;
}

/** Starts a server that no other test uses, regardless of HOLDFAST_TEST_POSTGRES. */
export async function startOwnPostgres({ isDurable = false, tls }: PostgresOptions = {}): Promise<OwnPostgres> {
  const args = [...(isDurable ? ["durable"] : []), ...(tls === undefined ? [] : ["tls", tls.cert, tls.key])];
  const keeper = startProgram(join(import.meta.dirname, "postgres-keeper.ts"), args, { inputStaysOpen: true });
  const url = await keeper.line(/^postgres:/);
  return {
    url,
    order: (order) => keeper.command(order),
    async stop() {
      keeper.endInput();
      await keeper.ended;
    },
  };
}

/**
 * Starts a server that no other test uses. If HOLDFAST_TEST_POSTGRES is the URL of a server, the test uses that one and
 * leaves it running. A test therefore works in its own schema and drops it.
 */
export async function startPostgres(): Promise<PrivatePostgres> {
  const given = process.env["HOLDFAST_TEST_POSTGRES"] ?? "";
  if (given !== "") return { url: given, stop: () => Promise.resolve() };
  return startOwnPostgres();
}
