import { type Format, formatSchema } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';

/** The settings of `format` that `map` takes as flags. */
export type MapFormat = {
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: number;
  readonly sheet?: string;
  readonly records?: string;
};

/** The settings that were given, for the proposal; UsageError where one can't be. */
export function formatOf({ delimiter, encoding, header, sheet, records }: MapFormat): Partial<Format> {
  const given = Object.entries({ delimiter, encoding, header, sheet, records }).filter(
    ([, value]) => value !== undefined,
  );
  const format = formatSchema.partial().safeParse(Object.fromEntries(given));
  if (!format.success) {
    throw new UsageError(
      format.error.issues.map(({ path, message }) => `--${path.map(String).join('.')}: ${message}`),
    );
  }
  const named = new Set(given.map(([name]) => name));
  return Object.fromEntries(Object.entries(format.data).filter(([name]) => named.has(name)));
}

const BESIDE = / in the job definition\b| \((?:preview: )?--[^)]*\)/g;
const SETTING = /(\bset )?\bformat\.(delimiter|encoding|header|sheet|records)\b(: )?/g;

/** What the reader says of a setting, said of the flag: there is no job definition yet. */
export function inFlags(text: string): string {
  return text
    .replaceAll(BESIDE, '')
    .replaceAll(
      SETTING,
      (_, set: string | undefined, name: string, value: string | undefined) =>
        `${set === undefined ? '' : 'give '}--${name}${value === undefined ? '' : ' '}`,
    );
}

/** Does it, and says what is wrong in terms of the flags. */
export async function sayingFlags<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.problems.map(inFlags), { cause: error });
  }
}
