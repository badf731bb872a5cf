import type { Row } from '../model/row.ts';

/** Takes a file's text piece by piece and answers the rows that are complete; `final`: the file ends with this piece. */
export type RowFeed = (chunk: string, final: boolean) => readonly Row[];
