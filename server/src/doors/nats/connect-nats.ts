import { readFile } from "node:fs/promises";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { defined } from "@holdfast/sdk/base/defined";
import type { NatsConnectionOptions } from "./nats-door-options.ts";
import { NatsConfigError } from "./nats-config-error.ts";
import { isLoopback } from "../../access/is-loopback.ts";
import { ownInboxPrefix } from "./own-inbox-prefix.ts";

/** Opens a connection that reconnects forever. `delayMs` returns the delay before the next attempt. */
export async function connectNats(options: NatsConnectionOptions, delayMs: () => number): Promise<NatsConnection> {
  return connect({
    ...(await credentialsOf(options)),
    ...tlsOf(options),
    servers: [...options.servers],
    name: "holdfast",
    inboxPrefix: ownInboxPrefix,
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

function tlsOf(options: NatsConnectionOptions): NodeConnectionOptions {
  if (!usesTls(options)) return {};
  const { caFile, certFile, keyFile } = options;
  const files = defined({ caFile, certFile, keyFile });
  return { tls: files };
}

/** Whether TLS is required. One setting requires it for all servers. */
function usesTls({ servers, caFile, certFile, keyFile }: NatsConnectionOptions): boolean {
  return (
    [caFile, certFile, keyFile].some((file) => file !== undefined) || servers.some((one) => one.startsWith("tls:"))
  );
}

/** A warning for the operator about servers on other hosts without TLS. The addresses have no fault. */
export function plaintextWarning(options: NatsConnectionOptions): string | undefined {
  if (usesTls(options)) return undefined;
  const remote = options.servers.filter((server) => !isLoopback(new URL(server).hostname.replace(/^\[|\]$/gu, "")));
  if (remote.length === 0) return undefined;
  return (
    `connecting to ${remote.join(" and ")} without TLS: every host on the network path can read tokens and data, and ` +
    "can change commands; use tls:// or nats_ca"
  );
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
