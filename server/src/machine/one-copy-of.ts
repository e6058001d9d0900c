/**
 * One copy of each short word that many rows repeat, such as a type. A word that was cut from a longer text or came from
 * another thread is a copy of its own, with at least 24 bytes.
 */

/** Maximum words that are shared. A full set is emptied: later rows share new words. */
const wordsMax = 10_000;

const words = new Map<string, string>();

/** The shared copy of a word. */
export function oneCopyOf(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (words.size >= wordsMax) words.clear();
  words.set(word, word);
  return word;
}
