/** A text as one word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
