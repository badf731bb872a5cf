/** By run: rows of a file, each with the row of that earlier run which it was before. */
export type Origins = ReadonlyMap<string, readonly (readonly [row: number, from: number])[]>;
