import assert from "node:assert/strict";

/** A message of an event stream as it was sent. */
export interface StreamMessage {
  readonly id: string | undefined;
  readonly data: { readonly name: string; readonly subject: string; readonly position: number } | undefined;
}

export interface EventReader {
  /** The next message with data. */
  next(): Promise<StreamMessage & { readonly data: NonNullable<StreamMessage["data"]> }>;
  /** True when the server has ended the stream. */
  ended(): Promise<boolean>;
  readonly lastId: () => string;
  hangUp(): void;
}

/** Reads an event stream as a browser does, and remembers the last id. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const control = new AbortController();
  const response = await fetch(url, { headers, signal: control.signal });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/u);
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let lastId = "";
  const messages: StreamMessage[] = [];
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (done) return false;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const message of blocks.map(messageOf)) {
      lastId = message.id ?? lastId;
      if (message.data !== undefined) messages.push(message);
    }
    return true;
  };
  while (lastId === "") assert.ok(await more(), "the stream ended before it sent its first id");
  return {
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message?.data !== undefined) return { ...message, data: message.data };
        assert.ok(await more(), "the stream ended");
      }
    },
    async ended() {
      while (await more());
      return true;
    },
    lastId: () => lastId,
    hangUp: () => {
      control.abort();
    },
  };
}

function messageOf(block: string): StreamMessage {
  const field = (name: string): string | undefined =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return { id: field("id"), data: data === undefined ? undefined : (JSON.parse(data) as StreamMessage["data"]) };
}
