/**
 * The page as a process of its own beside the one that sends: without its token, in bounded memory,
 * and restarted when it dies, so that its faults reach no row. It asks for what it wants done; the
 * process that acts checks the visitor's permission again.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import { type ListenAddress, shownListenAddress } from '../../lib/listening.ts';
import { tell } from '../../lib/terminal.ts';
import { programFile } from '../../lib/version.ts';
import { sleep } from '../../lib/waiting.ts';
import {
  type Ask,
  type AskAnswer,
  type Asked,
  answerSchema,
  askedSchema,
  type Visitor,
} from '../../model/ask.ts';
import type { Session } from '../../session.ts';
import { readAccess } from '../web/access.ts';

/** Messages between the two; both parse them. */
const fromPageSchema = z.discriminatedUnion('kind', [
  /** `link`: lets one person in, once. */
  z.object({ kind: z.literal('listening'), url: z.string(), link: z.string() }),
  z.object({ kind: z.literal('asked'), id: z.number(), asked: askedSchema }),
]);
type FromPage = z.infer<typeof fromPageSchema>;

const toPageSchema = z.object({ kind: z.literal('answer'), id: z.number(), answer: answerSchema });
type ToPage = z.infer<typeof toPageSchema>;

type ForkOptions = {
  /** As it was given; `null`: the usual place. */
  readonly address: ListenAddress | null;
  readonly sandbox: boolean;
  readonly acts: (asked: Asked) => Promise<AskAnswer>;
};

const HEAP_MB = 256;
/**
 * MB of each half of the young generation. What a page reads of a large run is soon garbage, and
 * Node would keep three times 16 MB of it.
 */
const YOUNG_MB = 2;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A page that lived this long did not die of its start. */
const WELL_MS = 60_000;

/** All of this process' environment that the page may know. */
const PASSED =
  /^(?:PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|NODE_EXTRA_CA_CERTS|LOG_LEVEL|MSB_BASE_URL|REDIS_\w+|npm_command|ONBOARD_(?:ACTOR|HOME|JOBS|WEB_\w+|ENCRYPTION_KEY\w*))$/;

/** Whether there is a way in: by a link, a token or a proxy. */
export async function mayAnybodyEnter({ env, io }: Pick<Session, 'env' | 'io'>): Promise<boolean> {
  const { sharedToken, proxy, people } = readAccess(io.env, env.home);
  return io.stderr.isTTY === true || sharedToken !== null || proxy !== null || (await people()).length > 0;
}

/** The page runs until the session ends; the result says whether it does now. */
export function forkPage(session: Session, options: ForkOptions): () => boolean {
  const { env, io, log, releasers } = session;
  const stop = new AbortController();
  let child: ChildProcess | null = null;
  const start = () => {
    child = fork(programFile(), argumentsFor(options), {
      env: { ...passed(io.env), ONBOARD_HOME: env.home, ONBOARD_JOBS: env.jobsDirectory },
      execArgv: [`--max-old-space-size=${HEAP_MB}`, `--max-semi-space-size=${YOUNG_MB}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Ctrl-C is for this process, which ends the page.
      detached: true,
    });
    return child;
  };
  const keep = async () => {
    let pause = FIRST_PAUSE_MS;
    while (!stop.signal.aborted) {
      const began = performance.now();
      const page = start();
      const exited = once(page, 'exit');
      listen(page, session, options.acts);
      const [code, signal] = await exited;
      if (stop.signal.aborted) return;
      log.warn('the page ended', { code, signal });
      pause = performance.now() - began > WELL_MS ? FIRST_PAUSE_MS : pause;
      await sleep(pause, stop.signal);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };
  const kept = keep();
  kept.catch((error: unknown) => log.error('the page', { problem: messageOf(error) }));
  releasers.push(async () => {
    stop.abort();
    if (child?.connected === true) child.disconnect();
    await kept;
  });
  return () => child?.connected === true;
}

function argumentsFor({ address, sandbox }: ForkOptions): readonly string[] {
  const at = address === null ? [] : ['--listen', shownListenAddress(address)];
  return ['web', ...at, ...(sandbox ? ['--sandbox'] : [])];
}

function passed(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
}

/** Without it, an error where the other one has just gone would end this process. */
const NOBODY = () => undefined;

function listen(page: ChildProcess, { io, log }: Session, acts: ForkOptions['acts']): void {
  page.on('message', (message) => {
    const said = fromPageSchema.safeParse(message);
    if (!said.success) {
      log.error('the page said what nobody understands');
      return;
    }
    if (said.data.kind === 'asked') {
      const { id, asked } = said.data;
      void acts(asked).then((answer) => {
        page.send({ kind: 'answer', id, answer } satisfies ToPage, NOBODY);
      });
      return;
    }
    const { url, link } = said.data;
    // Anything but a terminal is kept somewhere: no key is written there.
    const isShown = io.stderr.isTTY === true;
    tell(
      io,
      isShown
        ? `The page: ${link} (lets one person in, within ten minutes)`
        : `The page: ${url} (log in with a token: onboard web --add NAME --role operator)`,
    );
  });
}

/** The page's way to the process that started it. */
export type Link = NonNullable<ReturnType<typeof linkToStarter>>;

/** `null`: no process started this one as its page. */
export function linkToStarter() {
  if (process.send === undefined) return null;
  const waiting = new Map<number, (answer: AskAnswer) => void>();
  let asks = 0;
  const tell = (message: FromPage) => void process.send?.(message, NOBODY);
  const ended = new Promise<void>((resolve) => {
    process.once('disconnect', resolve);
    if (!process.connected) resolve();
  });
  process.on('message', (message) => {
    const { id, answer } = toPageSchema.parse(message);
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return {
    tell,
    ended,
    ask(ask: Ask, { name, role, maker }: Visitor) {
      asks += 1;
      const id = asks;
      const answer = new Promise<AskAnswer>((resolve) => waiting.set(id, resolve));
      tell({ kind: 'asked', id, asked: { by: name, role, maker, ask } });
      return answer;
    },
  };
}
