import type { SocketProblem } from "./socket-protocol.ts";

/**
 * The refusal between a client and a server that speak different protocols. The server compares the number in `hello`, the
 * client the number in `welcome`. Both refusals name both numbers.
 */
export function protocolMismatch(client: number, server: number): SocketProblem | undefined {
  if (client === server) return undefined;
  const reason = `the client speaks protocol ${client}, the server protocol ${server}`;
  return { code: "protocol_mismatch", data: { client_protocol: client, server_protocol: server, reason } };
}
