/** `onboard audit`: who did what when, and whether that still is what was written. */
import { readFile } from 'node:fs/promises';
import { readChain } from '../../engine/ledger/audit.ts';
import { errorCode } from '../../lib/errors.ts';
import { countOf, type Io, renderTable, say, sayJson, windowOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type AuditEntry, parseEntry, verifyChains } from '../../model/audit.ts';
import { misfitWords, verifyLedger } from '../../runs/audit.ts';
import { targetOf } from '../../runs/inbox/overview.ts';
import { findRun } from '../../runs/status.ts';
import { withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT } from './command.ts';

type Flags = {
  readonly run?: string;
  /** True: the ledger's chain. */
  readonly verify?: string | true;
  readonly sandbox?: boolean;
  readonly json?: boolean;
};

export const addAuditCommand: AddCommand = (program, io, done) => {
  program
    .command('audit')
    .description('Show who did what when, or check that nothing of it was changed')
    .option('--run <run>', `of one run: ${RUN_ARGUMENT}`)
    .option('--verify [file]', 'check the chain in Redis, with audit.ndjson, or an exported file')
    .option('--sandbox', 'for the built-in stand-in instead of MSB_BASE_URL')
    .option('--json', 'the entries as they are kept, a line each')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => done(await audit(flags, io)));
};

const HELP = `
Examples:
  onboard audit --run latest
  onboard audit --verify .onboard/audit.ndjson

--verify also compares the entries that audit.ndjson and the reports of the home name.
Who may write to both can write another chain: mailed reports and copies of audit.ndjson show it.
Who acts is who is logged in at the page, else ONBOARD_ACTOR, else user@host; the last two are said, not proven.
The exit status is 1 where an entry does not fit.`;

async function audit(flags: Flags, io: Io): Promise<number> {
  const { verify } = flags;
  if (typeof verify === 'string') return verifyFile(await linesOf(verify), io);
  return withKnownLedger(io, async (session) => {
    const { ledger, env } = session;
    const run = flags.run === undefined ? null : await findRun(ledger, flags.run);
    const target = run?.target ?? targetOf(env, flags.sandbox === true);
    if (verify === true) return tellVerified(await verifyLedger(target, session), io);
    const texts: string[] = [];
    for await (const batch of readChain(ledger.redis, ledger.of(target).keys)) texts.push(...batch);
    const shown = texts.filter((text) => run === null || parseEntry(text)?.run === run.id);
    if (flags.json === true) sayJson(io, ...shown);
    else say(io, ...table(shown, io));
    return 0;
  });
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--verify ${path}: can't be read (${errorCode(error)}); expected audit.ndjson`);
  });
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.some((line) => parseEntry(line) !== null)) return lines;
  const what = lines.length === 0 ? 'is empty' : 'line 1 is no entry of the audit';
  throw new UsageError(`--verify ${path}: ${what}; expected entries of the audit, a line each`);
}

function table(texts: readonly string[], io: Io): string[] {
  const body = texts.map((text, i) => {
    const entry = parseEntry(text);
    if (entry === null) return [String(i + 1), '', 'unreadable', '', '', '', 'onboard audit --verify'];
    const { n, at, what, run, actor, via, user = '', of } = entry;
    const time = at.slice(0, 19).replace('T', ' ');
    return [String(n), time, what, run, user, `${actor} (${via})`, wordsOf(of)];
  });
  const width = io.stdout.isTTY === true ? windowOf(io.stdout) : Infinity;
  return renderTable(['entry', 'time (UTC)', 'what', 'run', 'user', 'who', 'of it'], body, width);
}

/** Without digests. */
function wordsOf({ sha256, definition, ...of }: AuditEntry['of']): string {
  const told = Object.entries(of).filter(([, value]) => String(value) !== '');
  return told.map(([name, value]) => `${name} ${value}`).join(', ');
}

/** By itself. */
function verifyFile(texts: readonly string[], io: Io): number {
  const { heads, misfit } = verifyChains(texts);
  const problem = misfit === null ? null : misfitWords(misfit);
  const exitCode = tellVerified({ heads, problem }, io);
  if (exitCode === 0) say(io, "Whether later ones were cut shows in a later report's digest or the ledger.");
  return exitCode;
}

/** Answers the exit status. */
function tellVerified({ heads, problem }: Awaited<ReturnType<typeof verifyLedger>>, io: Io): number {
  if (problem !== null) say(io, problem);
  else if (heads.size === 0) say(io, 'There is no entry yet.');
  for (const [name, { n, head }] of problem === null ? heads : [])
    say(io, `Ledger ${name}: ${countOf(n, 'entry', 'entries')} fit; SHA-256 of the last: ${head}.`);
  return problem === null ? 0 : 1;
}
