import { type Io, tell } from '../lib/terminal.ts';

/** Of the progress bar, which draws itself again below. */
const CLEAR_LINE = '\r\u001b[K';

/** A line about what is going on, while a progress bar may stand where it is written. */
export function tellOverBar(io: Io, text: string): void {
  tell(io, io.stderr.isTTY === true ? CLEAR_LINE + text : text);
}
