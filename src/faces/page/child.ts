/**
 * Commands that the page runs as child processes: reading an uploaded file may run out of memory or
 * never end, and then only the child dies.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../../lib/errors.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { killGroup } from '../../lib/shell-command.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { programFile } from '../../lib/version.ts';
import type { ReadingChoice } from '../../model/source.ts';
import type { Checked } from '../../runs/check/findings.ts';
import type { FileSample } from '../../runs/check/proposal.ts';
import type { Summary } from '../../runs/report/summary.ts';
import type { Session } from '../../session.ts';
import type { JobDraft, Trial } from './job-trial.ts';
import { createUploads, limitsIn } from './uploads.ts';

const AT_ONCE = 2;
const HEAP_MB = 512;
const LONGEST_MS = 600_000;
/** Far more than a check of any file says. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Runs `onboard`, two at a time; no operand can become an option. */
export function createChildren(env: NodeJS.ProcessEnv, stopped: AbortSignal) {
  const places = createSemaphore(AT_ONCE);
  return async (options: readonly string[], operands: readonly string[]) => {
    const release = await places.acquire();
    try {
      return await run([...options, '--', ...operands], { env, stopped });
    } finally {
      release();
    }
  };
}

type Bounds = { readonly env: NodeJS.ProcessEnv; readonly stopped: AbortSignal };

async function run(args: readonly string[], { env, stopped }: Bounds) {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, programFile(), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that its children end with it.
    detached: true,
  });
  const full = new AbortController();
  const ends = AbortSignal.any([stopped, full.signal, AbortSignal.timeout(LONGEST_MS)]);
  const end = () => killGroup(child.pid);
  ends.addEventListener('abort', end);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      if (said[name].length > MOST_CHARACTERS) full.abort();
    });
  try {
    const [exitCode]: readonly (number | null)[] = await once(child, 'close');
    /** The command's messages for people. */
    const lines = said.stderr.split('\n').map((line) => line.replace(/^onboard: /, ''));
    const told = lines.filter((line) => line.trim() !== '');
    return { exitCode, stdout: said.stdout, problems: ends.aborted ? [whyEnded()] : told };
  } finally {
    // A later abort could end another process of that number.
    ends.removeEventListener('abort', end);
  }

  function whyEnded(): string {
    if (stopped.aborted) return 'The page ended meanwhile.';
    if (full.signal.aborted) return 'It said more than could be shown.';
    return `It took longer than ${LONGEST_MS / 60_000} minutes.`;
  }
}

const WORKS_REMEMBERED = 100;

export type Work<T> =
  | { readonly kind: 'under-way'; readonly since: string }
  | { readonly kind: 'failed'; readonly problems: readonly string[] }
  | { readonly kind: 'done'; readonly value: T };

function createWorks<T>({ clock, log }: Pick<Session, 'clock' | 'log'>) {
  const works = createRecentMap<string, Work<T>>(WORKS_REMEMBERED);
  return {
    state: (name: string): Work<T> | null => works.get(name) ?? null,
    /** Does nothing where it is under way. */
    begin(name: string, work: () => Promise<T>): void {
      if (works.get(name)?.kind === 'under-way') return;
      works.set(name, { kind: 'under-way', since: clock.date().toISOString() });
      work().then(
        (value) => works.set(name, { kind: 'done', value }),
        (error: unknown) => {
          if (!(error instanceof UsageError)) log.error('page', { problem: messageOf(error) });
          const problems = error instanceof UsageError ? error.problems : [messageOf(error)];
          works.set(name, { kind: 'failed', problems });
        },
      );
    },
  };
}

const SAMPLES_REMEMBERED = 20;
const DRAFTS_REMEMBERED = 50;

/** A file that can't be read so: why, and what would read it. */
export type Unread = { readonly problems: readonly string[]; readonly choices: readonly ReadingChoice[] };

/** What is remembered of uploaded files between requests. */
export function rememberFiles(session: Pick<Session, 'env' | 'io' | 'clock' | 'log'>) {
  const { env, io, clock } = session;
  return {
    uploads: createUploads(env.home, () => clock.date(), limitsIn(io.env)),
    runChild: createChildren(withoutSecrets(io.env), io.interrupted),
    /** First rows of uploads, by how they are read; or why that fails. */
    samples: createRecentMap<string, FileSample | Unread>(SAMPLES_REMEMBERED),
    checks: createWorks<Checked>(session),
    rehearsals: createWorks<Summary>(session),
    /** Of changed definitions, by the draft's id. */
    trials: createWorks<Trial>(session),
    jobDrafts: createRecentMap<string, JobDraft>(DRAFTS_REMEMBERED),
  };
}

/** Whoever took the page over must find no secret in its environment, or its children's. */
const SECRET = /^(?:MSB_TOKEN|ONBOARD_WEB_TOKEN|ONBOARD_WEBHOOK|ONBOARD_NOTIFY|HTTPS?_PROXY$)/i;

function withoutSecrets(env: Session['io']['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}
