import type { Reason } from './run.ts';

/** What to do about a run that is paused or stopped, before it goes on. */
export const REASON_ADVICE: Readonly<Record<Reason, string>> = {
  interrupted: 'It was interrupted; the rows in flight were settled.',
  credentials:
    'The service refused the token (401): set a valid MSB_TOKEN, MSB_TOKEN_FILE or MSB_TOKEN_COMMAND.',
  permission: "The service forbids it (403): have the operation's permission given to the token.",
  'service-away':
    'No answer came for too long: see whether the service is there; `onboard doctor` tries to connect to it.',
  'error-limit': 'Too many rows did not succeed (stopAfter): look at results.csv and the job definition.',
  'file-changed': 'The file is not what it was when it was read first: put the first one back.',
  journal:
    'The journal in ONBOARD_HOME could not be written, and nothing is sent without it: make room on its disk.',
  requested: 'Somebody asked for it.',
  window: "The job's window is closed: it goes on when it opens again.",
  canary: 'Of the first rows (send.canary) not one succeeded: look at results.csv and the job definition.',
};
