import { readFile } from "node:fs/promises";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { defined } from "@holdfast/sdk/base/defined";
import type { NatsConnectionOptions } from "./nats-door-options.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** Opens a connection that reconnects forever. `delayMs` returns the delay before the next attempt. */
export async function connectNats(options: NatsConnectionOptions, delayMs: () => number): Promise<NatsConnection> {
  return connect({
    ...(await credentialsOf(options)),
    ...tlsOf(options),
    servers: [...options.servers],
    name: "holdfast",
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // An operator may be fixing the users of the nats-server at this moment.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: delayMs,
    pingInterval: 10_000,
  });
}

async function credentialsOf({
  credsFile,
  user,
  password,
  token,
}: NatsConnectionOptions): Promise<NodeConnectionOptions> {
  if (credsFile !== undefined) return { authenticator: credsAuthenticator(await bytesOf(credsFile)) };
  if (token !== undefined) return { token };
  return user === undefined ? {} : defined({ user, pass: password });
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NatsConfigError(
      `cannot read the NATS credentials in ${file} (${code ?? String(error)}): check nats_creds and the permissions of the file`,
    );
  }
}

function tlsOf({ servers, caFile, certFile, keyFile }: NatsConnectionOptions): NodeConnectionOptions {
  const files = defined({ caFile, certFile, keyFile });
  const isEnabled = Object.keys(files).length > 0 || servers.some((server) => server.startsWith("tls://"));
  return isEnabled ? { tls: files } : {};
}

/** The error in the address of a nats-server. Undefined if it is valid. */
export function serverAddressError(server: string): string | undefined {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^(nats|tls):$/u.test(url.protocol) || url.hostname === "") {
    return "must be like nats://127.0.0.1:4222";
  }
  if (url.username === "" && url.password === "") return undefined;
  return "contains credentials, which all users of the host can read: use nats_user and nats_password, or nats_creds";
}
