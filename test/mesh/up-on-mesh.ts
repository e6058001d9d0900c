/** Starts a server on a mesh, reads its health and stops it. */
import assert from "node:assert/strict";
import { holdfast } from "../scenario/holdfast-command.ts";

export interface UpOnMesh {
  readonly mesh: { readonly ready: boolean; readonly reasons: readonly string[] };
  /** The whole output of the server, and its health page. */
  readonly output: string;
}

export async function upOnMesh(
  folder: string,
  url: string,
  options: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<UpOnMesh> {
  const program = holdfast(folder, ["up", "--json", "--nats", url, ...options], { env });
  const up = await program.line(/"event":"up"/u);
  const { url: address } = JSON.parse(up) as { readonly url: string };
  const text = await (await fetch(`${address}/health`)).text();
  program.signal("SIGTERM");
  const { code, lines, errors } = await program.ended;
  assert.equal(code, 0);
  const { components } = JSON.parse(text) as { readonly components: { readonly nats: UpOnMesh["mesh"] } };
  const { ready, reasons } = components.nats;
  return { mesh: { ready, reasons }, output: [text, ...lines, errors].join("\n") };
}
