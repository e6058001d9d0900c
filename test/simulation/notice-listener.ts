import type { Notice } from "@holdfast/sdk/contract";
import type { NoticeBox } from "../../server/src/app/notices/notice-box.ts";
import type { SimulatedNode } from "./node.ts";
import type { World } from "./world.ts";

/**
 * Listens to the notices of one owner after the other, through one node after the other. Each notice must be about a
 * ticket or a lock that the history gave to that owner.
 */
export class NoticeListener {
  readonly #world: World;
  #box: NoticeBox | undefined;
  #node = "";
  /** The owner whose notices it gets. */
  #owner = "";
  #isWaiting = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** The next step of a listener: it starts to listen, takes its notices, or leaves. */
  step(node: SimulatedNode): void {
    if (this.#box === undefined) this.#listen(node);
    else if (this.#world.random.chance(0.1)) this.#leave(this.#box);
    else if (!this.#isWaiting) this.#take(this.#box);
  }

  crashed(node: string): void {
    if (node === this.#node) this.#box = undefined;
  }

  #listen(node: SimulatedNode): void {
    const { random, locks } = this.#world;
    const { tickets, grants } = locks.view;
    const owners = [...tickets.values(), ...grants.values()].map(({ owner }) => owner);
    if (owners.length === 0 || this.#world.time.isStill(node.owner)) return;
    const owner = random.pick(owners);
    this.#box = node.notices(owner);
    this.#node = node.owner;
    this.#isWaiting = false;
    this.#owner = owner;
  }

  #leave(box: NoticeBox): void {
    void box.return();
    this.#box = undefined;
  }

  #take(box: NoticeBox): void {
    this.#isWaiting = true;
    void box.next().then(({ done, value }) => {
      if (this.#box !== box) return;
      this.#isWaiting = false;
      if (done === true) {
        this.#world.faults.count("the notices of a node end");
        this.#box = undefined;
      } else for (const notice of value) this.#check(notice);
    });
  }

  #check(notice: Notice): void {
    const { history, losses, faults } = this.#world;
    const word = notice.notice;
    faults.count(`notice: ${word}`);
    const id = word === "place" ? notice.ticket : word === "expiring" ? notice.fence : "";
    const position = Number(id.split(".")[1]);
    // After a rollback the entry of this position may be another one.
    const events = losses > 0 ? undefined : (history.at(position)?.entry.events ?? []);
    const isKnown = events?.some(
      ({ data }) => data["owner_id"] === this.#owner && (data["ticket"] === id || data["fence"] === id),
    );
    this.#world.demand(
      notice.owner_id === this.#owner && isKnown !== false,
      "a notice is about a ticket or a lock of the owner that listens",
      () => `${this.#owner} got ${JSON.stringify(notice)}`,
    );
  }
}
