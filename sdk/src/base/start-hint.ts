import { shellWord } from "./shell-word.ts";

/** The next step without a server on a data folder. Elsewhere, `holdfast up` alone would create another data folder. */
export function startHint(folder: string): string {
  const command = `holdfast up --data ${shellWord(folder)}`;
  return `Nothing was sent. Start the server with \`${command}\`, or set HOLDFAST_URL to its address.`;
}
