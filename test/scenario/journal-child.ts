/** A process that does some work on a journal and ends itself with SIGKILL at the given step, counted from 1. */
import { argv, kill, pid } from "node:process";
import { run, type Work } from "./journal-work.ts";

const [, , folder = "", work = "", deadly = "0"] = argv;
let steps = 0;

await run(folder, work as Work, () => {
  steps += 1;
  if (steps === Number(deadly)) kill(pid, "SIGKILL");
});
