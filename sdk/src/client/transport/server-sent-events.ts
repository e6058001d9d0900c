/** A message of an event stream: a cursor, data, or both. */
interface ServerSentEvent {
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/**
 * Splits an event stream (the format of `EventSource`) into its messages. Comments only keep it open and are dropped.
 */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield messageOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function messageOf(block: string): ServerSentEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /u, ""));
  }
  return { id: fields.get("id"), data: fields.get("data") };
}
