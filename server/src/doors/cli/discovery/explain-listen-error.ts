import type { Config } from "../../../config/settings.ts";

/** Converts an error of `listen` into one with a reason and a next step. Other errors are returned unchanged. */
export function explainListenError(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens on ${host}:${port}; stop it, or choose a port with --port (0 selects a free one)`,
    EACCES: `this user may not listen on port ${port}; choose a port of at least 1024 with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this host; choose one with --host`,
    ENOTFOUND: `${host} is not an address of this host; choose one with --host`,
  };
  const reason = code === undefined ? undefined : reasons[code];
  return reason === undefined ? error : new ListenError(reason, { cause: error });
}

class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code = "cannot_listen";
}
