/**
 * The seeds of the simulation that are part of `npm test`. Together they reach every fault, command, reply and event of
 * `test/simulation/rare-events.ts`. Written by `npm run simulate -- --choose`.
 */
// prettier-ignore
export const testSeeds: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
  21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
  61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 102,
  168, 174, 179, 190, 204, 214, 223, 265, 270, 304, 345, 393, 426, 439, 518, 568, 582, 594, 603, 674,
  747, 865, 1078, 1200, 1335, 1410, 1439, 1632, 1656, 1662, 1721, 1933, 1942, 2015, 2100, 2118, 2149, 2242, 2364, 2425,
];
