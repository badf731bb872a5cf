/** These have rows in flight, as long as they run. */
const SENDING: readonly (string | undefined)[] = ['run', 'start', 'work', 'resume', 'rerun'];
/** The others end before anybody wonders. */
const SILENCE_MS = 1_000;

/** What the first signal is answered with, and after how many milliseconds, if the process is still there; `args` as typed after `onboard`. */
export function interruptionNotice(
  args: readonly string[],
  deadlineMs: number,
): { readonly text: string; readonly afterMs: number } {
  const limit = `at most ${deadlineMs / 1000} s; once more ends at once`;
  const command = args.find((argument) => !argument.startsWith('-'));
  return SENDING.includes(command)
    ? { text: `Ending: rows in flight are being settled, ${limit} and leaves them in doubt.`, afterMs: 0 }
    : { text: `Ending: ${limit}.`, afterMs: SILENCE_MS };
}
