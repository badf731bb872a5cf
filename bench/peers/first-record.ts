import type { Parser } from 'csv-parse';

/** The header of a file that is being parsed into arrays. */
export function firstRecord(parser: Parser): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    parser.once('error', reject);
    parser.once('readable', () => resolve(parser.read() ?? []));
  });
}
