/**
 * How to read a file that doesn't say so itself: settings of a job definition's `format`, in the
 * query of an address and in the fields of a form.
 */
import type { Format } from '../../config/job-definition.ts';
import { cut } from '../../lib/html-text.tsx';
import { FILE_FORMATS, formatNamed } from '../../model/file-format.ts';
import { ENCODINGS, type SourceInfo } from '../../model/source.ts';
import type { Upload } from './uploads.ts';

const SETTINGS = {
  type: { words: 'Each object is a record: ndjson', kinds: ['json'], values: ['ndjson'] },
  header: { words: 'Line of the header', kinds: ['text', 'workbook'], values: [] },
  delimiter: { words: 'Cells are cut by', kinds: ['text'], values: [';', ',', '\\t', '|'] },
  encoding: { words: 'Encoding', kinds: ['text'], values: ENCODINGS },
  sheet: { words: 'Sheet', kinds: ['workbook'], values: [] },
  hidden: { words: 'Hidden rows', kinds: ['workbook'], values: ['send', 'skip'] },
  records: { words: 'List of records, such as /data/items', kinds: ['json'], values: [] },
  short: { words: 'Cells missing at the end of a line are empty: pad', kinds: ['text'], values: ['pad'] },
  long: { words: 'Empty cells beyond the last column: drop', kinds: ['text'], values: ['drop'] },
} as const;

type Setting = keyof typeof SETTINGS;
const NAMES: readonly Setting[] = [
  'header',
  'delimiter',
  'encoding',
  'short',
  'long',
  'sheet',
  'hidden',
  'records',
  'type',
];

/** By their names in `format`, without what is found automatically. */
export type Reading = Readonly<Partial<Record<Setting, string>>>;

export function readingIn(given: URLSearchParams): Reading {
  return readingBy((name) => given.get(name));
}

/** Settings of a definition, or of a file that was read, for the form. */
export function readingOf(format: Partial<Format>): Reading {
  // A sheet may be called so.
  return readingBy((name) => (format[name] === 'auto' && name !== 'sheet' ? null : format[name]));
}

function readingBy(get: (name: Setting) => string | number | null | undefined): Reading {
  return Object.fromEntries(
    NAMES.map((name) => [name, String(get(name) ?? '')] as const).filter(([, value]) => value !== ''),
  );
}

export function readingArguments(reading: Reading): readonly string[] {
  return Object.entries(reading).map(([name, value]) => `--format=${name}=${value}`);
}

export function HiddenReading({ reading }: { readonly reading: Reading }) {
  return (
    <>
      {Object.entries(reading).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

type Read = { readonly source: SourceInfo } | readonly string[];
type ReadOtherwiseProps = { readonly upload: Upload; readonly reading: Reading; readonly read: Read };

/** The settings depend on the kind of file. */
export function ReadOtherwise({ upload: { id, given }, reading, read }: ReadOtherwiseProps) {
  const kind = kindOf(given);
  const { sheets, recordLists } = 'source' in read ? read.source : {};
  const found: Partial<Record<Setting, readonly string[] | undefined>> = {
    sheet: sheets,
    records: recordLists,
  };
  return (
    <form method="get" action={`/uploads/${id}`} class="row">
      {NAMES.filter((name) => SETTINGS[name].kinds.some((one) => one === kind)).map((name) => {
        const value = reading[name] ?? '';
        const offered: readonly string[] = found[name] ?? SETTINGS[name].values;
        return (
          <label for={`read-${name}`}>
            {/* By both names: the reader's messages use its own. */}
            {`${SETTINGS[name].words} (format.${name})`}{' '}
            {offered.length === 0 ? (
              <input id={`read-${name}`} name={name} value={value} placeholder="found by itself" />
            ) : (
              <select id={`read-${name}`} name={name}>
                <option value="">{name === 'hidden' ? 'not said' : 'found by itself'}</option>
                {[...new Set([...offered, value])].filter(Boolean).map((one) => (
                  <option value={one} selected={one === value}>
                    {cut(one, 100)}
                  </option>
                ))}
              </select>
            )}
          </label>
        );
      })}
      <button type="submit">Read it so</button>
    </form>
  );
}

function kindOf(file: string): 'text' | 'workbook' | 'json' {
  return FILE_FORMATS[formatNamed(file) ?? 'csv'].kind;
}
