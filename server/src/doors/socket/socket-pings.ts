import type { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";

/** Sends pings to each socket and closes those without a reply: their host may be gone. */
export class SocketPings {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #silent = new Map<WebSocket, boolean>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  follow(socket: WebSocket): void {
    this.#silent.set(socket, false);
    const alive = (): void => void this.#silent.set(socket, false);
    socket.on("message", alive);
    socket.on("pong", alive);
    socket.on("close", () => this.#silent.delete(socket));
    this.#cancel ??= this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): () => void {
    return this.#clock.after(this.#everyMs, this.#check, { keepAlive: false });
  }

  readonly #check = (): void => {
    for (const [socket, isSilent] of this.#silent) {
      // A paused socket cannot reply, and has a time limit of its own.
      if (isSilent && !socket.isPaused) socket.terminate();
      else if (!socket.isPaused) socket.ping();
      this.#silent.set(socket, true);
    }
    this.#cancel = this.#silent.size === 0 ? undefined : this.#schedule();
  };
}
