/**
 * The seeds of the simulation that are part of `npm test`. Together they reach every fault, command, reply and event of
 * `test/simulation/rare-events.ts`. Written by `npm run simulate -- --choose`.
 */
// prettier-ignore
export const testSeeds: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
  21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
  61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80,
  81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 108, 123, 127, 132, 136, 151, 167,
  169, 190, 252, 261, 265, 295, 362, 425, 426, 433, 440, 462, 518, 642, 671, 710, 743, 751, 766, 770,
  786, 826, 886, 996,
];
