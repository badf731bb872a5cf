/** What to do next about a run, in the words of the terminal, notes and report.html. */
import { join } from 'node:path';
import { anywhere, shellWord } from '../../lib/terminal.ts';
import { type Account, isUntouched, toSeeTo } from '../../model/account.ts';
import { mostMistakes } from '../../model/issue.ts';
import { OUTCOMES, REMAINDER } from '../../model/outcome.ts';
import { awaitsPerson, type Reason, wasGivenUp } from '../../model/run.ts';
import { isTable } from '../../model/source.ts';
import { goOnCommand, reasonAdvice, waysOut } from './advice.ts';
import { REMAINDERS, type RemainderKind, remainderOf } from './remainder.ts';
import type { Summary } from './summary.ts';

export type NextOptions = {
  readonly directory: string;
  /** How a command names the job, such as `--job-file x.yaml`; by default its name. */
  readonly job?: string;
  /** False: nobody can approve it at this terminal. */
  readonly isApproverTold?: boolean;
  /** The command as it was typed: it may name more than the run. */
  readonly typed?: string;
};

export type Step = { readonly words: readonly string[]; readonly commands: readonly string[] };

/** Empty: nothing is left to do. */
export function nextSteps(summary: Summary, options: NextOptions): readonly Step[] {
  const { account, source } = summary;
  const extension = isTable(source) ? 'csv' : 'ndjson';
  if (summary.purged !== null) return account === null ? [] : openSteps(account, extension);
  return [
    ...continuing(summary, options),
    ...takingUp(summary, options),
    ...referring(summary),
    ...askingOfAccounts(summary),
    ...redefining(summary, options),
    ...REMAINDERS.flatMap((kind) => correcting(summary, kind, options)),
    ...(summary.originals ? [] : correctingBare(summary)),
    ...(account === null || isUntouched(account) ? [] : openSteps(account, extension)),
  ];
}

/** What can be done about open rows, where the run's own report no longer says it. */
export function openSteps(account: Account, extension: string): Step[] {
  if (toSeeTo(account) === 0) return [];
  const { delivery, runs, purgedRows } = account;
  // Another name after each load: an earlier file may have been corrected.
  const file = `open-${delivery}-${runs.length}.${extension}`;
  const open = step('Open rows, to be corrected and loaded:', `onboard account ${delivery} --open ${file}`);
  return [
    ...(toSeeTo(account) > purgedRows ? [open] : []),
    step('Rows that shall never be loaded:', `onboard write-off ${delivery} ROWS --reason "WHY"`),
  ];
}

function continuing(summary: Summary, options: NextOptions): readonly Step[] {
  if (summary.state !== 'paused' && summary.state !== 'stopped') return [];
  const why = summary.reason === null ? [] : [reasonWords(summary.reason, summary)];
  const { run: id, state, reason, plan, problem } = summary;
  const held = { id, state, reason, plan, problem };
  const resume = goOnCommand(held);
  const [harmless, ...others] = waysOut(held);
  if (harmless !== undefined)
    return [
      { words: [...why, harmless.words], commands: [harmless.command] },
      ...others.map(({ words, command }) => step(words, command)),
    ];
  if (reason === 'approval' && options.isApproverTold === false)
    return [{ words: [...why, AT_THE_PAGE], commands: [] }];
  if (awaitsPerson({ state, reason })) return [{ words: why, commands: [resume] }];
  // A file of an inbox lies where its watcher put it.
  const isGiven = summary.parent === null && summary.registeredVia !== 'inbox';
  const first = isGiven ? command(summary, summary.file, options) : resume;
  const again = options.typed ?? first;
  const commands = again.startsWith(resume) ? [again] : [again, resume];
  const when = summary.reason === 'service-hold' ? 'once that time has come' : 'where it stopped';
  return [{ words: [...why, `To go on ${when}:`], commands }];
}

const AT_THE_PAGE =
  'This terminal tells nobody apart: it is approved at the page, by a person with a token of their own.';

function step(words: string, command: string): Step {
  return { words: [words], commands: [command] };
}

/** The codes of such rows. */
const ANSWERED_ALIKE: ReadonlyMap<Reason, RegExp> = new Map([
  ['same-refusal', /^(?:http_4|redirect)/],
  ['unreadable-answers', /^(?:answer|accepted)_/],
]);

function reasonWords(reason: Reason, summary: Summary): string {
  const { run, files, operation, causes, problem } = summary;
  const remainders = files.filter((file) => remainderOf(file) !== null);
  const cause = causes.find(({ code }) => ANSWERED_ALIKE.get(reason)?.test(code));
  const came = cause === undefined ? '' : ` What came: ${cause.text}`;
  const advice = reasonAdvice(reason, { id: run, operation, problem: problem ?? undefined }) + came;
  return remainders.length === 0 ? advice : advice.replace('results.csv', remainders.join(', '));
}

function takingUp(summary: Summary, options: NextOptions): readonly Step[] {
  const { run, state, outcomes } = summary;
  if (state !== 'cancelled' || outcomes.cancelled === 0) return [];
  if (wasGivenUp(summary)) {
    const again = `${command(summary, summary.file, options)} --again`;
    return [step('To compare the file anew, and load it:', again)];
  }
  return [step('To take up the rows that were not sent:', `onboard rerun ${run} --only cancelled`)];
}

const REFERENCE_CODES: ReadonlySet<string> = new Set(['reference_unknown', 'reference_in_doubt']);

function referring({ run, topErrors }: Summary): readonly Step[] {
  if (!topErrors.some(({ code }) => REFERENCE_CODES.has(code))) return [];
  const words = 'To take up the rows that refer to a record which was not known, once it is:';
  return [step(words, `onboard rerun ${run} --only invalid`)];
}

/** A call to the payee comes before any correction. */
function askingOfAccounts({ run, topErrors, account }: Summary): readonly Step[] {
  if (account !== null && toSeeTo(account) === 0) return [];
  const has = (code: string) => topErrors.some((error) => error.code === code);
  const moved = step(
    `account_changed (\`onboard account ${run}\` shows both accounts): ${CALL_FIRST} changed at the service by hand:`,
    `onboard write-off ${run} ROWS --changed-at-service --reason "WHY"`,
  );
  const shared = step(
    `account_shared: ${CALL_FIRST} one that several payees may have:`,
    `onboard release ${run} ROWS --reason "WHY"`,
  );
  return [...(has('account_changed') ? [moved] : []), ...(has('account_shared') ? [shared] : [])];
}

const CALL_FIRST = 'call the payee first; where the account is right, and';

function redefining({ run, job, state, causes, rows }: Summary, options: NextOptions): readonly Step[] {
  const frequent = causes.filter(({ count }) => count > mostMistakes(rows));
  const issues = frequent.flatMap((cause) => cause.issues);
  const isWrittenSo = issues.some(({ settings = [] }) => settings.length > 0);
  if (!isWrittenSo || state !== 'finished') return [];
  const words = 'To take up the rows that a setting reads, once the job definition has it:';
  const by = options.job ?? `--job ${shellWord(job)}`;
  const changed = options.job === undefined ? '' : ` ${options.job}`;
  const first = `onboard try ${shellWord(job)}${changed} --run ${run}`;
  return [
    step('What else that would change, without a call:', first),
    step(words, `onboard rerun ${run} --only invalid ${by}`),
  ];
}

function correcting(summary: Summary, kind: RemainderKind, options: NextOptions): readonly Step[] {
  const name = summary.files.find((file) => remainderOf(file) === kind);
  if (name === undefined) return [];
  const { run, account, originals } = summary;
  const file = join(options.directory, name);
  if (kind === 'in-doubt') {
    const resolve = `onboard resolve ${run} --file ${shellWord(file)}`;
    return [step(`${name}: ${NEXT[kind]}`, resolve)];
  }
  // Of a file some rows of which were taken up or written off, the account has the others.
  const isTouched = account !== null && !isUntouched(account);
  if (isTouched || !originals) return [];
  const load = command(summary, file, options);
  return kind === 'failed' ? [loadingFailed(summary, name, load)] : [step(`${name}: ${NEXT[kind]}`, load)];
}

/** Rows can't be corrected in files without their cells. */
function correctingBare(summary: Summary): readonly Step[] {
  const { run, files, account } = summary;
  const names = files.filter((file) => ['rejected', 'failed'].includes(remainderOf(file) ?? ''));
  const isTouched = account !== null && !isUntouched(account);
  if (names.length === 0 || isTouched) return [];
  const words =
    `${names.join(' and ')}: without cells, as the job says. ` +
    'To correct rows, have them written with cells:';
  const rerun = failedStep(summary) === 'load' ? [`onboard rerun ${run} --only failed`] : [];
  return [{ words: [words], commands: [`onboard report ${run} --originals`, ...rerun] }];
}

const NEXT: Readonly<Record<Exclude<RemainderKind, 'failed'>, string>> = {
  rejected: 'correct what the service refused, then load it:',
  'in-doubt':
    'look each row up at the service, and write created:<id> or ' +
    'not-created as its resolution, so that none is created twice; then:',
};

function loadingFailed(summary: Summary, name: string, load: string): Step {
  const step = failedStep(summary);
  const words = [`${name}: ${FAILED[step]}`];
  if (step === 'settle') return { words, commands: [] };
  const rerun = step === 'load' ? [`onboard rerun ${summary.run} --only failed`] : [];
  return { words, commands: [load, ...rerun] };
}

const FAILED = {
  correct: 'correct the rows, then load it:',
  'correct-some': 'correct the rows that need it, then load it:',
  load: 'these rows were not created: load it as it is, or have them sent again:',
  settle:
    'nothing is to be corrected in it. Its rows are in doubt in the ' +
    'run that sent them: settle them there, with onboard resolve.',
  'settle-first':
    'settle the rows in doubt that its rows wait for, with onboard ' +
    'resolve, correct what else is wrong, then load it:',
} as const;

function command(summary: Summary, file: string, { job }: NextOptions): string {
  const sandbox = summary.target === 'sandbox' ? ' --sandbox' : '';
  return `onboard run ${job ?? shellWord(summary.job)}${sandbox} ${shellWord(anywhere(file))}`;
}

/** By why the rows failed; `correct` where some reason is unknown. */
export function failedStep({
  topErrors,
  outcomes,
}: Pick<Summary, 'topErrors' | 'outcomes'>): keyof typeof FAILED {
  const errors = topErrors.filter(({ outcome }) => REMAINDER[outcome] === 'failed');
  const told = errors.reduce((sum, { count }) => sum + count, 0);
  const failed = OUTCOMES.filter((outcome) => REMAINDER[outcome] === 'failed');
  const all = failed.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  if (told !== all) return 'correct';
  const codes = [...new Set(errors.map(({ code }) => code))];
  const isSettledOnly = codes.every((code) => code === 'row_in_doubt');
  if (codes.some((code) => IN_DOUBT.has(code))) return isSettledOnly ? 'settle' : 'settle-first';
  if (!codes.includes('not_created')) return 'correct';
  return codes.length === 1 ? 'load' : 'correct-some';
}

/** Rows that wait for a row in doubt. */
const IN_DOUBT: ReadonlySet<string> = new Set(['key_in_doubt', 'row_in_doubt']);
