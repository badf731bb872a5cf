/**
 * What a partner is told of his delivery: which of its rows he can mend, and what is to be
 * corrected in each, in his language. Of another row, another run, or who decided what, nothing is
 * ever said: sentences are made of a code and a column alone.
 */
import { readTable } from '../../lib/data-table.ts';
import type { Standing } from '../../model/account.ts';
import { type KeptIssue, OF_CONTENT } from '../../model/issue.ts';
import { type Settlement, wasRefused } from '../../model/settlement.ts';
import { type RemainderRow, saidOf } from './remainder.ts';
import { serviceMessage } from './service-words.ts';

/** One of the languages of the table. */
export type Language = string;
type Words = Readonly<Record<string, string>>;

let table: ReadonlyMap<Language, Words> | null = null;

/** Of each language, by the names of the sentences; read when it is asked for. */
function words(): ReadonlyMap<Language, Words> {
  if (table !== null) return table;
  const [[, ...languages] = [], ...sentences] = readTable(import.meta.url, 'runs/report', 'reply.tsv');
  const wordsIn = (at: number) =>
    Object.fromEntries(sentences.map(([name = '', ...texts]) => [name, texts[at] ?? '']));
  table = new Map(languages.map((language, at) => [language, wordsIn(at)]));
  return table;
}

export function replyLanguages(): Language[] {
  return [...words().keys()];
}

function told(language: Language, sentence: string, values: Values = {}): string {
  const text = words().get(language)?.[sentence];
  if (text === undefined) throw new Error(`there are no words for ${sentence} in ${language}`);
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type Values = Readonly<Record<string, string | number>>;

type Fate = 'correct' | 'refused' | 'checked';

/** What of the ledger alone holds back, or only we can settle. */
const OURS: ReadonlySet<string> = new Set([
  ...OF_CONTENT,
  'key_held',
  'key_in_doubt',
  'row_in_doubt',
  'plan_differs',
  'reference_in_doubt',
]);

type Ended = Pick<Settlement, 'outcome' | 'status' | 'issues'>;

/** Of a row that is not at the service; `ended`: as it stands last, `undefined` where it is not. */
export function fateOf({ outcome, code, isWrittenOff }: Standing, ended: Ended | undefined): Fate {
  if (isWrittenOff || outcome === 'denied') return 'refused';
  const codes = [code, ...(ended?.issues ?? []).map((issue) => issue.code)];
  if (outcome === 'invalid') return codes.some((one) => OURS.has(one)) ? 'checked' : 'correct';
  if (outcome === 'rejected') return 'correct';
  return outcome === 'failed' && ended !== undefined && wasRefused(ended) ? 'refused' : 'checked';
}

/** By the code of a row or an issue; of all others the row is to be looked at. */
const SENTENCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    unreadable_row: 'unreadable',
    cell_not_convertible: 'cell',
    missing_required: 'required',
    empty_key: 'key_missing',
    empty_row: 'empty',
    totals_row: 'totals',
    describes_columns: 'totals',
    duplicate_key: 'key_taken',
    key_alike: 'key_taken',
    key_known: 'key_taken',
    same_row: 'same',
    group_conflict: 'group',
    group_apart: 'group',
    group_too_large: 'group',
    group_member: 'group_member',
    bad_path_id: 'path_id',
    conflicting_columns: 'one_column',
    rule_broken: 'rule',
    reference_unknown: 'reference',
    scientific_notation: 'digits',
    lost_leading_zero: 'digits',
    number_cell: 'digits',
    iban_invalid: 'iban',
    bic_invalid: 'bic',
    sort_code_invalid: 'sort_code',
    routing_number_invalid: 'routing',
    account_implausible: 'damaged',
    value_implausible: 'damaged',
    spreadsheet_error: 'damaged',
    rendering: 'damaged',
    unseen_sign: 'damaged',
    word_for_nothing: 'damaged',
    mojibake: 'damaged',
    rejected: 'rejected',
  }),
);

/** Rows of these codes are about their key. */
const OF_KEY: ReadonlySet<string> = new Set(['key_missing', 'key_taken']);

type Correction = {
  readonly words: string;
  /** Columns whose cells are to be corrected; others than the file's are in none. */
  readonly columns: ReadonlySet<string>;
};

export type Telling = {
  readonly language: Language;
  /** Of the job; `undefined`: it names none. */
  readonly key: string | undefined;
  readonly serviceWords: boolean;
};

export function correctionOf(row: RemainderRow, telling: Telling): Correction {
  const { settlement } = row;
  const { language, key } = telling;
  const found = settlement.issues.map((issue) => ({
    column: issue.column,
    said: issueSaid(issue, linesOf(row), language),
  }));
  if (found.length === 0) {
    const isOfKey = OF_KEY.has(sentenceOf(settlement.code, settlement.outcome));
    found.push({ column: isOfKey ? (key ?? null) : null, said: rowSaid(row, telling) });
  }
  const sentences = found.map(({ column, said }) => (column === null ? said : `“${column}”: ${said}`));
  return {
    words: [...new Set(sentences)].join('\n'),
    columns: new Set(found.flatMap(({ column }) => column ?? [])),
  };
}

function sentenceOf(code: string, outcome: string): string {
  return SENTENCES.get(outcome === 'rejected' ? outcome : code) ?? 'other';
}

/** What was expected is of the job's definition, unless it has values, which name other rows. */
function issueSaid(issue: KeptIssue, line: string, language: Language): string {
  const isRepeated = issue.code === 'rule_broken' && issue.values !== undefined;
  const sentence = isRepeated ? 'repeated' : sentenceOf(issue.code, '');
  const expected = issue.values === undefined ? issue.expected : '…';
  return told(language, sentence, { expected, line });
}

function rowSaid(row: RemainderRow, { language, serviceWords }: Telling): string {
  const { code, outcome } = row.settlement;
  const line = linesOf(row);
  const said = serviceWords && outcome === 'rejected' ? serviceMessage(saidOf(row) ?? '') : '';
  if (said !== '') return told(language, 'said', { words: said });
  return told(language, sentenceOf(code, outcome), { line, expected: '…' });
}

/** What could not be read may hold several records. */
function linesOf({ settlement: { line }, source }: RemainderRow): string {
  const more = source?.kind === 'unreadable' ? source.text.split(/\r?\n|\r/).length - 1 : 0;
  return more === 0 ? String(line) : `${line}–${line + more}`;
}

export type Counts = Readonly<Record<'received' | 'accepted' | Fate, number>>;

/** `600 received, 571 accepted, 26 to correct, 3 not accepted` */
export function sumLine(counts: Counts, language: Language): string {
  const parts = ['sum', ...(counts.checked > 0 ? ['checked'] : [])];
  return parts.map((part) => told(language, part, counts)).join(', ');
}

export function mailOf(file: string, counts: Counts, language: Language) {
  const what = counts.correct > 0 ? 'please' : 'none';
  const of = (sentence: string) => told(language, sentence);
  return {
    subject: told(language, 'subject', { file }),
    lines: [of('hello'), '', `${sumLine(counts, language)}.`, '', of(what), '', of('bye')],
  };
}

/** What the workbook itself says beside its rows. */
export function bookWords(language: Language) {
  const of = (sentence: string) => told(language, sentence);
  return { sheet: of('sheet'), rows: of('rows'), column: of('column'), please: of('please') };
}
