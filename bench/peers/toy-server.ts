/**
 * The peer that decides nothing, a bare `ws` server that stores one SQLite row for each batch and answers every call.
 * It shows the least that a socket and a durable row cost: `node bench/peers/toy-server.ts FOLDER`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { answerLoad } from "../processes/answer-load.ts";

interface ToyCall {
  readonly id: number;
}

const [, , folder = ""] = process.argv;
mkdirSync(folder, { recursive: true });
const database = new DatabaseSync(join(folder, "toy.db"));
database.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA journal_mode = WAL");
database.exec("PRAGMA synchronous = 2");
database.exec("CREATE TABLE batches (first INTEGER PRIMARY KEY, lines TEXT NOT NULL) STRICT");
const insert = database.prepare("INSERT INTO batches (first, lines) VALUES (?, ?)");

let position = 0;
let waiting: { readonly socket: WebSocket; readonly text: string }[] = [];

function store(): void {
  const frames = waiting;
  waiting = [];
  insert.run((position += 1), frames.map(({ text }) => text).join("\n"));
  for (const { socket, text } of frames) {
    const calls = JSON.parse(text) as readonly ToyCall[];
    socket.send(JSON.stringify(calls.map(({ id }) => ({ id, position }))));
  }
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
server.on("connection", (socket) => {
  socket.on("message", (data: Buffer) => {
    if (waiting.length === 0) setImmediate(store);
    waiting.push({ socket, text: data.toString("utf8") });
  });
});
server.on("listening", () => {
  const { port } = server.address() as { readonly port: number };
  answerLoad();
  process.send?.({ url: `ws://127.0.0.1:${port}` });
});
process.once("disconnect", () => {
  database.close();
  process.exit();
});
