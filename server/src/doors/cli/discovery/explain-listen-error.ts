import type { Config } from "../../../config/settings.ts";

/** Why it can't listen, in a sentence that says what to do. */
export function explainListenError(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens on ${host}:${port} already; stop it, or choose another with --port (0: any free one)`,
    EACCES: `this user may not listen on port ${port}; choose one from 1024 up with --port`,
    EADDRNOTAVAIL: `${host} is no address of this host; see --host`,
    ENOTFOUND: `${host} is no address of this host; see --host`,
  };
  const reason = code === undefined ? undefined : reasons[code];
  return reason === undefined ? error : new ListenError(reason, { cause: error });
}

class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code = "cannot_listen";
}
