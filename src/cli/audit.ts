/** `onboard audit`: who did what when, and whether that still is what was written. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { targetOf } from '../inbox/overview.ts';
import { readChain } from '../ledger/audit.ts';
import { errorCode } from '../lib/errors.ts';
import { countOf, type Io, renderTable, say, sayJson, windowOf } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type AuditEntry, parseEntry, verifyChains } from '../model/audit.ts';
import { findRun } from '../runs/status.ts';
import { withKnownLedger } from '../session.ts';
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

Who may write to Redis can write another chain: mailed reports and copies of audit.ndjson show it.
Who acts is who is logged in at the page, else ONBOARD_ACTOR, else user@host; the last two are said, not proven.
The exit status is 1 where an entry does not fit.`;

async function audit(flags: Flags, io: Io): Promise<number> {
  const { verify } = flags;
  if (typeof verify === 'string') return tellChains(await linesOf(verify), null, io);
  return withKnownLedger(io, async ({ ledger, env }) => {
    const run = flags.run === undefined ? null : await findRun(ledger, flags.run);
    const { keys } = ledger.of(run?.target ?? targetOf(env, flags.sandbox === true));
    const path = join(env.home, 'audit.ndjson');
    // Read before the chain: it has no later entry than that.
    const copied = verify === true && existsSync(path) ? await linesOf(path) : [];
    const kept = copied.flatMap((line) => parseEntry(line) ?? []).filter((one) => one.ledger === keys.name);
    const texts: string[] = [];
    for await (const batch of readChain(ledger.redis, keys)) texts.push(...batch);
    if (verify === true) return tellChains(texts, kept, io);
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
    return [String(n), at.slice(0, 19).replace('T', ' '), what, run, user, `${actor} (${via})`, wordsOf(of)];
  });
  const width = io.stdout.isTTY === true ? windowOf(io.stdout) : Infinity;
  return renderTable(['entry', 'time (UTC)', 'what', 'run', 'user', 'who', 'of it'], body, width);
}

/** Without digests. */
function wordsOf({ sha256, definition, ...of }: AuditEntry['of']): string {
  const told = Object.entries(of).map(([name, value]) => [name, String(value)]);
  return told.flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`)).join(', ');
}

/** Answers the exit status. `kept`: of audit.ndjson beside a ledger; `null`: a file alone. */
function tellChains(texts: readonly string[], kept: readonly AuditEntry[] | null, io: Io): number {
  const { heads, misfit } = verifyChains(texts);
  if (misfit !== null) {
    say(io, `The entry in line ${misfit} does not fit the one before it: ${WHY}.`);
    return 1;
  }
  const lost = kept?.find((one) => texts[one.n - 1] !== JSON.stringify(one));
  if (lost !== undefined) {
    say(io, `The ledger has lost or changed entry ${lost.n}, which audit.ndjson has.`);
    return 1;
  }
  if (texts.length === 0) say(io, 'There is no entry yet.');
  for (const [name, { n, head }] of heads)
    say(io, `Ledger ${name}: ${countOf(n, 'entry', 'entries')} fit; SHA-256 of the last: ${head}.`);
  if (kept === null) say(io, "Whether later ones were cut shows in a later report's digest or the ledger.");
  return 0;
}

const WHY = 'one was changed, removed, put in or moved, or Redis lost some';
