/**
 * Makes the wall clock of a server jump, as an administrator or a time server does. The monotonic clock is unchanged. A
 * preloaded library in C overrides the clock functions and reads the offset from a file. Needs a C compiler.
 */
import { writeFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeploymentFault } from "./deployment.ts";
import { spawnChildSync } from "../scenario/spawn-child.ts";

const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
static int (*real)(clockid_t, struct timespec *);
static volatile int *jump;
__attribute__((constructor)) static void look(void) {
  real = dlsym(RTLD_NEXT, "clock_gettime");
  int file = open(getenv("JUMP_FILE"), O_RDONLY);
  if (file >= 0) jump = mmap(0, sizeof *jump, PROT_READ, MAP_SHARED, file, 0);
}
int clock_gettime(clockid_t id, struct timespec *at) {
  if (!real) look();
  int result = real(id, at);
  if (id == CLOCK_REALTIME && jump && jump != MAP_FAILED) at->tv_sec += *jump;
  return result;
}
int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return result;
}
`;

export interface ClockShim {
  readonly env: Readonly<Record<string, string>>;
  readonly faults: readonly DeploymentFault[];
  readonly notThere: readonly string[];
}

export async function wallClockShim(folder: string): Promise<ClockShim> {
  const [text, library, file] = ["jump.c", "jump.so", "jump"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(text, source);
  const { status, stderr, error } = spawnChildSync("cc", ["-shared", "-fPIC", "-o", library, text, "-ldl"]);
  if (status !== 0) {
    const why = error?.message ?? String(stderr).trim();
    return { env: {}, faults: [], notThere: [`a jump of the wall clock: no C compiler (${why})`] };
  }
  const jumpBy = (seconds: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(seconds);
    // Written in place, because the server has this file mapped.
    writeFileSync(file, bytes, { flag: "r+" });
  };
  await writeFile(file, Buffer.alloc(4));
  const jump: DeploymentFault = {
    name: "jump of the wall clock",
    // Up to two hours ahead, or one back. The offset stays until the next jump, as on a real host.
    async inject(chance) {
      jumpBy(Math.round(chance() * 10_800 - 3_600));
      await Promise.resolve();
    },
  };
  return { env: { LD_PRELOAD: library, JUMP_FILE: file }, faults: [jump], notThere: [] };
}
