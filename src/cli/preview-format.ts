import { type Format, formatSchema } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import { ENCODINGS } from '../model/source.ts';

/** The settings of `format` in a job definition that a preview takes as flags. */
export type FormatFlags = {
  readonly delimiter: string;
  readonly encoding: string;
  readonly header?: number;
  readonly comment?: string;
  readonly sheet?: string;
  readonly records?: string;
};

const EXPECTED: Readonly<Record<keyof FormatFlags, string>> = {
  delimiter: 'one character, \\t for a tab, or auto',
  encoding: `auto or ${ENCODINGS.join(', ')}`,
  header: 'the number of a line',
  comment: 'one character',
  sheet: 'the name of a sheet',
  records: 'a JSON pointer such as /data/items',
};

/** How the file is to be read; UsageError naming every flag that can't be understood. */
export function formatOf(flags: FormatFlags): Format {
  const { delimiter, header, comment, sheet, records } = flags;
  const encoding = flags.encoding.toLowerCase();
  const format = formatSchema.safeParse({ delimiter, encoding, header, comment, sheet, records });
  if (format.success) return format.data;
  const wrong = new Set(format.error.issues.map(({ path }) => path[0]));
  const problems = Object.entries(EXPECTED).filter(([flag]) => wrong.has(flag));
  throw new UsageError(
    problems.map(([flag, expected]) => `--${flag} "${givenTo(flags, flag)}": expected ${expected}.`),
  );
}

function givenTo(flags: FormatFlags, flag: string): string {
  return String(new Map(Object.entries(flags)).get(flag));
}
