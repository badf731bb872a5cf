/**
 * How a file is to be read where it doesn't say so itself: settings of a job definition's `format`, as the query of an address and the
 * fields of a form have them.
 */
import { ENCODINGS } from '../model/source.ts';

const SETTINGS = {
  header: 'Line of the header',
  delimiter: 'Cells are cut by',
  encoding: 'Encoding',
  sheet: 'Sheet',
  records: 'List of records',
} as const;

type Setting = keyof typeof SETTINGS;
const NAMES: readonly Setting[] = ['header', 'delimiter', 'encoding', 'sheet', 'records'];

/** What was chosen, by the names that `format` has for them; nothing of what is found by itself. */
export type Reading = Readonly<Partial<Record<Setting, string>>>;

export function readingIn(given: URLSearchParams): Reading {
  return Object.fromEntries(
    NAMES.map((name) => [name, given.get(name) ?? ''] as const).filter(([, value]) => value !== ''),
  );
}

/** As arguments of the commands that read files. */
export function readingArguments(reading: Reading): readonly string[] {
  return Object.entries(reading).map(([name, value]) => `--format=${name}=${value}`);
}

/** A reader's words for settings, as those who fill in the form know them. */
export function inFormWords(problem: string): string {
  return problem
    .replace(/^onboard: /, '')
    .replaceAll(/\bformat\.(header|delimiter|encoding|sheet|records)\b:?/g, (words, name: string) => {
      const setting = NAMES.find((one) => one === name);
      return setting === undefined ? words : `“${SETTINGS[setting]}”`;
    });
}

/** What the reader itself proposes, where it does. */
export function readingProposed(problems: readonly string[]): Reading {
  const header = /format\.header: (\d+)/.exec(problems.join('\n'))?.[1];
  return header === undefined ? {} : { header };
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

const DELIMITERS = [
  [';', 'semicolon'],
  [',', 'comma'],
  ['\\t', 'tab'],
  ['|', '|'],
] as const;

type ReadOtherwiseProps = { readonly id: string; readonly given: string; readonly reading: Reading };

/** The form by which somebody says it; which settings there are depends on the kind of file. */
export function ReadOtherwise({ id, given, reading }: ReadOtherwiseProps) {
  const isWorkbook = /\.xlsx$/i.test(given);
  const isJson = /\.(?:json|ndjson|jsonl)$/i.test(given);
  const isText = !isWorkbook && !isJson;
  return (
    <form method="get" action={`/uploads/${id}`} class="row">
      {isJson ? <TextSetting name="records" reading={reading} placeholder="such as /data/items" /> : null}
      {isWorkbook ? <TextSetting name="sheet" reading={reading} placeholder="the first one" /> : null}
      {isJson ? null : (
        <label>
          {SETTINGS.header}{' '}
          <input type="number" name="header" min="1" value={reading.header ?? ''} class="few" />
        </label>
      )}
      {isText ? <Choice name="delimiter" reading={reading} values={DELIMITERS} /> : null}
      {isText ? (
        <Choice name="encoding" reading={reading} values={ENCODINGS.map((name) => [name, name])} />
      ) : null}
      <button type="submit">Read it so</button>
    </form>
  );
}

type TextProps = { readonly name: Setting; readonly reading: Reading; readonly placeholder: string };

function TextSetting({ name, reading, placeholder }: TextProps) {
  return (
    <label>
      {SETTINGS[name]} <input name={name} value={reading[name] ?? ''} placeholder={placeholder} />
    </label>
  );
}

type ChoiceProps = {
  readonly name: Setting;
  readonly reading: Reading;
  readonly values: ReadonlyArray<readonly [value: string, words: string]>;
};

function Choice({ name, reading, values }: ChoiceProps) {
  return (
    <label>
      {SETTINGS[name]}{' '}
      <select name={name}>
        <option value="">found by itself</option>
        {values.map(([value, words]) => (
          <option value={value} selected={reading[name] === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
