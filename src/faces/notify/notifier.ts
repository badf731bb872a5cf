/**
 * Notifies people of events by each channel of the environment: at once and, where that fails,
 * again within two minutes, beside the work. `told.txt` beside a run's report records who follows
 * the run and what was sent, so that another process can send the rest. Promised: nothing here
 * fails or holds up a run. Events can come twice, and be missed.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pRetry from 'p-retry';
import type { Environment } from '../../config/environment.ts';
import { insteadOf, messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { runShell } from '../../lib/shell-command.ts';
import { type Io, tell } from '../../lib/terminal.ts';
import { withDeadline } from '../../lib/waiting.ts';
import { type Channel, eventBody, type NotifiedEvent } from './event.ts';
import { openWebhook } from './webhook.ts';

export type Notifier = NonNullable<Awaited<ReturnType<typeof openNotifier>>>;

type NotifierOptions = Pick<Environment, 'notify' | 'home'> & {
  readonly io: Io;
  readonly log: Log;
  /** Among those of the home. */
  readonly teller: string;
  /** Whether a process of that name is known to be gone. */
  isDead(teller: string): boolean;
  onTry(channel: Channel['name'], result: 'delivered' | 'failed' | 'given-up'): void;
  /** The pause before the second try, ms. */
  readonly pauseMs?: number;
};

/** An ending process waits so long for its last events. */
const END_MS = 10_000;
const INTERRUPTED_MS = 1_000;

/** `null`: no channel. A UsageError where they can't be used. */
export async function openNotifier(options: NotifierOptions) {
  const { home, io, log, teller, isDead } = options;
  const channels = await openChannels(options);
  if (channels.length === 0) return null;
  const directoryOf = (run: string) => join(home, 'reports', run);
  const stop = new AbortController();
  const deliver = createDeliver(options, stop.signal);
  const pending = new Map<string, Promise<void>>();
  const onTrouble = (error: unknown) => log.warn('events', { problem: messageOf(error) });
  const tellOfRun = async (event: NotifiedEvent, directory: string) => {
    const note = await readNote(directory);
    const line = note.findLast((one) => one.startsWith(FOLLOWED));
    // When the run was under way nobody wanted notifications.
    if (line === undefined) return;
    const follower = line.slice(FOLLOWED.length);
    if (follower !== teller && !isDead(follower)) return;
    const tellBy = async (channel: OpenChannel) => {
      const told = `told by ${channel.name}: ${event.id}`;
      if (note.includes(told) || !(await deliver(event, channel))) return;
      await addToNote(directory, told);
    };
    await Promise.all(channels.map(tellBy));
  };
  const tellOnce = async (event: NotifiedEvent) => {
    const { run } = event.data;
    if (run !== undefined) await tellOfRun(event, directoryOf(run));
    else await Promise.all(channels.map((channel) => deliver(event, channel)));
  };
  return {
    /** From now on this process notifies of the run. */
    follow: (run: string) => addToNote(directoryOf(run), `${FOLLOWED}${teller}`).catch(onTrouble),
    /** Unless it was sent, or another process follows its run. */
    tell(event: NotifiedEvent) {
      const { id } = event;
      if (pending.has(id)) return;
      const forget = () => void pending.delete(id);
      pending.set(id, tellOnce(event).catch(onTrouble).finally(forget));
    },
    /** Gives events under way a last while. */
    async close() {
      const told = Promise.all(pending.values());
      await withDeadline(told, io.interrupted.aborted ? INTERRUPTED_MS : END_MS);
      stop.abort(new Error('there was no time left'));
      await told;
    },
  };
}

/** A thousand refused files must not start as many commands. */
type OpenChannel = Channel & { readonly turns: ReturnType<typeof createSemaphore> };

async function openChannels({ notify, io }: NotifierOptions): Promise<readonly OpenChannel[]> {
  const { webhook, command } = notify;
  const channels = [
    ...(webhook === null ? [] : [await openWebhook(webhook)]),
    ...(command === null ? [] : [openCommand({ command, env: io.env })]),
  ];
  return channels.map((channel) => ({ ...channel, turns: createSemaphore(1) }));
}

/** With pauses that double, and are spread: two minutes. */
const RETRIES = 6;
const TRIED_MS = 120_000;

/** False: given up after a few tries. */
function createDeliver({ io, log, onTry, pauseMs = 1_000 }: NotifierOptions, stop: AbortSignal) {
  return async (event: NotifiedEvent, { name, turns, ...channel }: OpenChannel): Promise<boolean> => {
    const leave = await turns.acquire();
    try {
      await pRetry(() => channel.tell(event, stop), {
        retries: RETRIES,
        minTimeout: pauseMs,
        randomize: true,
        maxRetryTime: TRIED_MS,
        signal: stop,
        onFailedAttempt({ error, attemptNumber }) {
          onTry(name, 'failed');
          const about = { channel: name, event: event.id, tries: attemptNumber };
          log.warn('an event could not be told', { ...about, problem: error.message });
        },
      });
      onTry(name, 'delivered');
      return true;
    } catch (error) {
      onTry(name, 'given-up');
      tell(io, `warning: ${event.type} is not told by the ${name}: ${messageOf(error)}.`);
      return false;
    } finally {
      leave();
    }
  };
}

/** A line for each process that followed the run, and for each event sent. */
const NOTE = 'told.txt';
const FOLLOWED = 'followed by ';

async function addToNote(directory: string, line: string): Promise<void> {
  await makeFolder(directory);
  await appendFile(join(directory, NOTE), `${line}\n`, { mode: 0o600 });
}

async function readNote(directory: string): Promise<readonly string[]> {
  const text = await readFile(join(directory, NOTE), 'utf8').catch(insteadOf('ENOENT', ''));
  return text.split('\n');
}

type CommandOptions = {
  /** For the shell. */
  readonly command: string;
  /** This process' own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
};

const COMMAND_MS = 60_000;

/**
 * An operator's command: the event on standard input, its subject in the environment, no
 * credentials of the service. It is killed with its children when its time is over.
 */
export function openCommand({ command, env, timeoutMs = COMMAND_MS }: CommandOptions): Channel {
  return {
    name: 'command',
    async tell(event, stop) {
      const { id, type, data } = event;
      const own = Object.entries(env).filter(
        ([name]) => !/^(?:MSB_|REDIS_|ONBOARD_(?:ENCRYPTION_KEY|WEB_TOKEN))/.test(name),
      );
      const about = { ONBOARD_EVENT: type, ONBOARD_EVENT_ID: id, ONBOARD_RUN: data.run ?? '' };
      const ended = await runShell(command, {
        env: { ...Object.fromEntries(own), ...about },
        input: `${eventBody(event)}\n`,
        timeoutMs,
        stop,
      });
      if ('problem' in ended) throw new Error(`it ${ended.problem}`);
    },
  };
}
