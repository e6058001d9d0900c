/** Many subscribers that watch everything and only count: parsing the events would measure the reader. */
import { once } from "node:events";
import { WebSocket } from "ws";

export class Subscriber {
  /** The position of the last event that arrived. Everything is watched, so everything before it arrived too. */
  position = 0;
  readonly #socket: WebSocket;
  #frameCount = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      this.#count(data.toString("latin1"));
    });
  }

  static async connect(url: string): Promise<Subscriber> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/socket`);
    await once(socket, "open");
    const subscriber = new Subscriber(socket);
    socket.send('[{"kind":"hello","protocol":1},{"kind":"watch","id":1,"after":"1.0"}]');
    return subscriber;
  }

  close(): void {
    this.#socket.terminate();
  }

  #count(frame: string): void {
    const at = frame.lastIndexOf('"position":');
    if (at < 0) return;
    this.position = Number.parseInt(frame.slice(at + '"position":'.length), 10);
    this.#frameCount += 1;
    if (this.#frameCount % 8 === 0) this.#socket.send('[{"kind":"more","id":1,"count":8}]');
  }
}
