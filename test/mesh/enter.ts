/** A server that joins a mesh for a moment, as an operator would start it. */
import assert from "node:assert/strict";
import { holdfast } from "../scenario/holdfast-command.ts";

export interface Entered {
  readonly mesh: { readonly ready: boolean; readonly reasons: readonly string[] };
  /** Everything that was shown to anybody. */
  readonly shown: string;
}

export async function enter(
  folder: string,
  url: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Entered> {
  const program = holdfast(folder, ["up", "--json", "--nats", url, ...words], { env });
  const up = await program.line(/"event":"up"/u);
  const { url: address } = JSON.parse(up) as { readonly url: string };
  const text = await (await fetch(`${address}/health`)).text();
  program.signal("SIGTERM");
  const { code, lines, errors } = await program.ended;
  assert.equal(code, 0);
  const { components } = JSON.parse(text) as { readonly components: { readonly nats: Entered["mesh"] } };
  const { ready, reasons } = components.nats;
  return { mesh: { ready, reasons }, shown: [text, ...lines, errors].join("\n") };
}
