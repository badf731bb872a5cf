import { type Command, InvalidArgumentError } from 'commander';
import { ACCEPT_REDIS_SETTINGS } from '../cli/command.ts';
import type { WatchOptions } from '../inbox/watcher.ts';
import { wholeNumber } from './command.ts';

/** The flags of the commands that watch the inbox. */
export type InboxFlags = WatchOptions & {
  readonly acceptRedisSettings?: boolean;
  readonly logFile?: string;
};

/** What `--once` leaves, for the help texts. */
export const ONCE_HELP = `
With --once the exit status is that of the worst file: 3 where a file was refused though others were loaded, 5 in doubt,
2 stopped before the end, 1 some rows did not succeed, 0 otherwise. What still waits (an upload under a name such as
.part, a schedule, a marker, another job) is named at the end and doesn't change it.`;

const RUNS_HELP =
  'files taken through their jobs at once; one whose job has a higher `priority` does not wait for those of a lower one';

export function addInboxOptions(command: Command): Command {
  return command
    .option('--rest <seconds>', 'take a file when nothing of it has changed for so long', seconds, 2)
    .option('--poll <seconds>', 'look at the folders at least that often', pollSeconds, 5)
    .option('--polling', 'no events, only looks: for network file systems that have none')
    .option('--runs <n>', RUNS_HELP, wholeNumber, 32)
    .option('--once', 'take what is there, to the end, and exit: for cron')
    .option('--json', 'a JSON line per file')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there');
}

const LONGEST_S = 24 * 3600;

function seconds(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= LONGEST_S) return value;
  throw new InvalidArgumentError('expected seconds, for example 2 or 0.5.');
}

function pollSeconds(text: string): number {
  const value = seconds(text);
  if (value >= 0.1) return value;
  throw new InvalidArgumentError('expected at least 0.1 seconds.');
}
