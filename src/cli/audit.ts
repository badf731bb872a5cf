/** `onboard audit`: who did what when, and whether that still is what was written. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { targetOf } from '../inbox/overview.ts';
import { readChain } from '../ledger/audit.ts';
import { errorCode } from '../lib/errors.ts';
import { countOf, type Io, renderTable, say, sayJson, windowOf } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type AuditEntry, chainsIn, digestOf, type Misfit, misfitOf, parseEntry } from '../model/audit.ts';
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
    .description('Show who did what when, or check that nothing of it was changed since')
    .option('--run <run>', `of one run: ${RUN_ARGUMENT}`)
    .option('--verify [file]', 'check the chain in Redis, with audit.ndjson, or an exported file')
    .option('--sandbox', 'for the built-in stand-in instead of MSB_BASE_URL')
    .option('--json', 'the entries as they are kept, a line each, to be verified elsewhere')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => done(await audit(flags, io)));
};

const HELP = `
Examples:
  onboard audit --run latest
  onboard audit --verify .onboard/audit.ndjson

Each entry has the SHA-256 of the one before (prev), each report that of the latest one. Who may write to Redis can \
write another chain, or take its last entries: mailed reports and copies of audit.ndjson show it. Who acts is who is \
logged in at the page, else ONBOARD_ACTOR, else user@host; the last two are said, not proven.
The exit status is 1 where an entry does not fit.`;

async function audit(flags: Flags, io: Io): Promise<number> {
  const { verify } = flags;
  if (typeof verify === 'string') return tellChains(chainsIn(await linesOf(verify)), null, io);
  return withKnownLedger(io, async ({ ledger, env }) => {
    const run = flags.run === undefined ? null : await findRun(ledger, flags.run);
    const { keys } = ledger.of(run?.target ?? targetOf(env, flags.sandbox === true));
    const path = join(env.home, 'audit.ndjson');
    // Read before the chain: it has no later entry than that.
    const kept = verify === true && existsSync(path) ? (await linesOf(path)).map(parseEntry) : [];
    const texts: string[] = [];
    for await (const batch of readChain(ledger.redis, keys)) texts.push(...batch);
    if (verify === true) return tellChains(new Map([[keys.name, texts]]), kept, io);
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
    if (entry === null) return [String(i + 1), '', 'unreadable', '', '', 'onboard audit --verify'];
    const { n, at, what, run, actor, via, of } = entry;
    return [String(n), at.slice(0, 19).replace('T', ' '), what, run, `${actor} (${via})`, wordsOf(of)];
  });
  const width = io.stdout.isTTY === true ? windowOf(io.stdout) : Infinity;
  return renderTable(['entry', 'time (UTC)', 'what', 'run', 'who', 'of it'], body, width);
}

/** Without digests. */
function wordsOf({ sha256, definition, ...of }: AuditEntry['of']): string {
  const told = Object.entries(of).map(([name, value]) => [name, String(value)]);
  return told.flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`)).join(', ');
}

const WORDS: Readonly<Record<Misfit['kind'], string>> = {
  changed: 'was changed, or the one after it',
  removed: 'was removed',
  'put in': 'was put in',
  swapped: 'was swapped for a later one',
  forked: 'goes on from an earlier one: Redis had lost those between, or they were taken out',
};

/** Answers the exit status. `kept`: of audit.ndjson beside a ledger; `null`: a file alone. */
function tellChains(chains: ReturnType<typeof chainsIn>, kept: (AuditEntry | null)[] | null, io: Io) {
  const fitting = [...chains].map(([ledger, texts]) => {
    const misfit = misfitOf(texts);
    const lost = kept?.find((one) => one?.ledger === ledger && texts[one.n - 1] !== JSON.stringify(one));
    let told = `${countOf(texts.length, 'entry', 'entries')} fit; SHA-256 of the last: ${digestOf(texts.at(-1) ?? '')}`;
    if (lost) told = `it has lost or changed entry ${lost.n}, which audit.ndjson has`;
    if (misfit !== null) told = `entry ${misfit.place} ${WORDS[misfit.kind]}`;
    say(io, `Ledger ${ledger}: ${told}.`);
    return misfit === null && !lost;
  });
  if (kept === null) say(io, "Whether later ones were cut shows in a later report's digest or the ledger.");
  return fitting.every((fits) => fits) ? 0 : 1;
}
