/**
 * How to read a file that doesn't say so itself: settings of a job definition's `format`, in the
 * query of an address and in the fields of a form.
 */
import type { Format } from '../../config/job-definition.ts';
import { cut, Text } from '../../lib/html-text.tsx';
import { countOf } from '../../lib/terminal.ts';
import { FILE_FORMATS, formatNamed } from '../../model/file-format.ts';
import { ENCODINGS, type ReadingChoice, type SourceInfo } from '../../model/source.ts';
import type { Unread } from './child.ts';
import type { Upload } from './uploads.ts';

const SETTINGS = {
  type: { words: 'Each object is a record', kinds: ['json'], values: ['ndjson'] },
  header: { words: 'Line of the header', kinds: ['text', 'workbook'], values: [] },
  delimiter: { words: 'Cells are cut by', kinds: ['text'], values: [';', ',', '\\t', '|'] },
  quote: { words: 'Cells stand in', kinds: ['text'], values: ["'", '`'] },
  encoding: { words: 'Encoding', kinds: ['text'], values: ENCODINGS },
  sheet: { words: 'Sheet', kinds: ['workbook'], values: [] },
  hidden: { words: 'Hidden rows', kinds: ['workbook'], values: ['send', 'skip'] },
  records: { words: 'List of records, such as /data/items', kinds: ['json'], values: [] },
  short: { words: 'Cells missing at the end of a line are empty', kinds: ['text'], values: ['pad'] },
  long: { words: 'Empty cells beyond the last column', kinds: ['text'], values: ['drop'] },
} as const;

type Setting = keyof typeof SETTINGS;
const NAMES: readonly Setting[] = [
  'header',
  'delimiter',
  'quote',
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
  const isUsual = (name: Setting) => format[name] === (name === 'quote' ? '"' : 'auto') && name !== 'sheet';
  return readingBy((name) => (isUsual(name) ? null : format[name]));
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

/** Where a job reads files in another way than this one was read; `null`: nowhere. */
export function readsOtherwise(format: Partial<Format>, job: Partial<Format>): string | null {
  const [here, there] = [readingOf(format), readingOf(job)];
  // Of another delimiter, found by itself, the columns would differ.
  const isFound = (name: Setting) => name === 'delimiter' && there[name] === undefined;
  const isOther = (name: Setting) => here[name] !== undefined && here[name] !== there[name];
  const other = NAMES.find((name) => isOther(name) && !isFound(name));
  if (other === undefined) return null;
  const { words } = SETTINGS[other];
  return `It reads its files otherwise. ${words}: ${here[other]} here, ${there[other] ?? 'not told'} there.`;
}

type Unit = 'line' | 'row';

const QUESTIONS = {
  header: (unit: Unit) => `Which ${unit} is the header?`,
  sheet: () => 'Which sheet has the rows?',
  encoding: () => 'Where are the letters right?',
  hidden: () => 'Some rows are hidden. What becomes of them?',
  records: () => 'Which list has the records?',
  delimiter: () => 'What cuts a line into cells?',
  quote: () => 'Do the cells stand in these signs?',
  type: () => 'Or is the whole object one record?',
} satisfies Record<ReadingChoice['setting'], (unit: Unit) => string>;

const ANSWERS = {
  header: ({ value }: ReadingChoice, unit: Unit) => `Use ${unit} ${value} as header`,
  sheet: ({ value, shows }: ReadingChoice) => `Sheet ${value}, ${countOf(shows.length, 'column')}`,
  encoding: ({ value }: ReadingChoice) => value,
  hidden: ({ value }: ReadingChoice) => (value === 'send' ? 'Send them like the others' : 'Leave them out'),
  records: ({ value }: ReadingChoice) => `The list ${value}`,
  delimiter: ({ value }: ReadingChoice) => (value === '\t' ? 'Tabs cut it' : `“${value}” cuts it`),
  quote: ({ value }: ReadingChoice) => `Cells stand in ${value}`,
  type: () => 'Each object is a record',
} satisfies Record<ReadingChoice['setting'], (choice: ReadingChoice, unit: Unit) => string>;

const NAMES_SHOWN = 12;

export type ChoicesProps = Pick<ReadOtherwiseProps, 'upload' | 'reading'> & {
  readonly choices: readonly ReadingChoice[];
  /** The sheet that is read now. */
  readonly sheet?: string | null;
};

/** A button for each way in which the file could be read: it is read so at once. */
export function Choices({ upload: { id, given }, reading, choices, sheet = null }: ChoicesProps) {
  const unit = kindOf(given) === 'workbook' ? 'row' : 'line';
  const readNow = sheet ?? reading.sheet ?? null;
  const settings = [...new Set(choices.map(({ setting }) => setting))];
  return (
    <>
      {settings.toSorted(sheetFirst).map((setting) => (
        <form method="get" action={`/uploads/${id}`} class="choices">
          <h2>{QUESTIONS[setting](unit)}</h2>
          <HiddenReading reading={readingBefore(setting, reading)} />
          {choices
            .filter((one) => one.setting === setting)
            .map((one) => (
              <p>
                {setting === 'sheet' && one.value === readNow ? <b>Read now: </b> : null}
                <button type="submit" name={setting} value={one.value}>
                  <Text of={ANSWERS[setting](one, unit)} bytes={100} />
                </button>{' '}
                <span class="mono">
                  <Text of={namesIn(one)} bytes={300} />
                </span>
              </p>
            ))}
        </form>
      ))}
    </>
  );
}

/** All else is asked of the sheet that is read. */
function sheetFirst(one: Setting, other: Setting): number {
  return Number(other === 'sheet') - Number(one === 'sheet');
}

function namesIn({ shows }: ReadingChoice): string {
  return [...shows.slice(0, NAMES_SHOWN), ...(shows.length > NAMES_SHOWN ? ['…'] : [])].join(' · ');
}

/** Another sheet has its header elsewhere. */
function readingBefore(setting: Setting, reading: Reading): Reading {
  const left: readonly string[] = setting === 'sheet' ? ['sheet', 'header', 'hidden'] : [setting];
  return Object.fromEntries(Object.entries(reading).filter(([name]) => !left.includes(name)));
}

type Read = { readonly source: SourceInfo } | Unread;
type ReadOtherwiseProps = { readonly upload: Upload; readonly reading: Reading; readonly read: Read };

/** The settings depend on the kind of file. */
export function ReadOtherwise({ upload: { id, given }, reading, read }: ReadOtherwiseProps) {
  const kind = kindOf(given);
  const { sheets, recordLists } = 'source' in read ? read.source : {};
  const choices = 'choices' in read ? (read.choices ?? []) : [];
  const named = choices.flatMap(({ setting, value }) => (setting === 'sheet' ? [value] : []));
  const found: Partial<Record<Setting, readonly string[] | undefined>> = {
    sheet: sheets ?? (named.length > 0 ? named : undefined),
    records: recordLists,
  };
  return (
    <form method="get" action={`/uploads/${id}`} class="row">
      {NAMES.filter((name) => SETTINGS[name].kinds.some((one) => one === kind)).map((name) => {
        const value = reading[name] ?? '';
        const offered: readonly string[] = found[name] ?? SETTINGS[name].values;
        return (
          <label for={`read-${name}`}>
            {SETTINGS[name].words}{' '}
            {offered.length === 0 ? (
              <input id={`read-${name}`} name={name} value={value} placeholder="found by itself" />
            ) : (
              <select id={`read-${name}`} name={name}>
                <option value="">{name === 'hidden' ? 'not said' : 'found by itself'}</option>
                {[...new Set([...offered, value])].filter(Boolean).map((one) => (
                  <option value={one} selected={one === value}>
                    {SETTINGS[name].values.length === 1 ? 'yes' : cut(one, 100)}
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
