/**
 * A program that publishes two versions and then dies by SIGKILL at a call of the disk: node kill-child.ts FOLDER CALL.
 * It prints each version that was acknowledged.
 */
import { open } from "holdfast";
import { RealDisk } from "../../server/src/storage/real-disk.ts";

const [folder = "", callText = ""] = process.argv.slice(2);
const steps = ["makeFolder", "createFile", "syncFolder", "rename", "stat"] as const;
let left = Infinity;

for (const name of steps) {
  const { value } = Object.getOwnPropertyDescriptor(RealDisk.prototype, name) as { readonly value: unknown };
  const step = value as (...args: string[]) => Promise<unknown>;
  const counted = function (this: RealDisk, ...args: string[]): Promise<unknown> {
    left -= 1;
    if (left < 0) process.kill(process.pid, "SIGKILL");
    return step.apply(this, args);
  };
  Object.defineProperty(RealDisk.prototype, name, { value: counted });
}

const client = await open(folder);
for (let number = 1; ; number += 1) {
  if (number === 3) left = Number(callText);
  await using publish = await client.files.publish("site/docs");
  await publish.write("a.txt", `version ${String(number)}`);
  await publish.write("sub/b.txt", "x".repeat(number * 1_000));
  const { version } = await publish.commit();
  console.log(`published ${String(version)}`);
}
