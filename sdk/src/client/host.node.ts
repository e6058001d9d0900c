import { hostname, userInfo } from "node:os";
import process from "node:process";

/** Who runs this program, and where: the name of an agent that did not say its own. */
export function agentName(): string {
  return `${userName()}@${hostname()}:${process.pid}`.slice(0, 500);
}

/** A process may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "user");
  }
}
