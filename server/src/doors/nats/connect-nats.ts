import { readFile } from "node:fs/promises";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import type { NatsConnectionOptions } from "./nats-door-options.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** A connection that comes back by itself, for ever; `delayMs` is the pause before the next attempt. */
export async function connectNats(options: NatsConnectionOptions, delayMs: () => number): Promise<NatsConnection> {
  return connect({
    ...(await credentialsOf(options)),
    ...tlsOf(options),
    servers: [...options.servers],
    name: "holdfast",
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // Somebody may be mending the server's users right now.
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
  return user === undefined ? {} : { user, ...(password === undefined ? {} : { pass: password }) };
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NatsConfigError(`the credentials of NATS in ${file} can't be read (${code ?? String(error)})`);
  }
}

function tlsOf({ servers, caFile, certFile, keyFile }: NatsConnectionOptions): NodeConnectionOptions {
  const files = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  const isWanted = Object.keys(files).length > 0 || servers.some((server) => server.startsWith("tls://"));
  return isWanted ? { tls: files } : {};
}

/** What is wrong with an address; undefined if nothing is. */
export function serverAddressError(server: string): string | undefined {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^(nats|tls):$/u.test(url.protocol) || url.hostname === "") {
    return "is not an address such as nats://127.0.0.1:4222";
  }
  if (url.username === "" && url.password === "") return undefined;
  return "holds credentials, which everybody can see there: give nats_user and nats_password, or a file, instead";
}
