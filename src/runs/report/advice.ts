/**
 * What to do next about a row that did not succeed, by its code, and about a paused or stopped run,
 * by its reason: plain sentences for results.csv, the summary and the page. Every code and reason
 * has its words here.
 */
import { type Issue, OF_CONTENT } from '../../model/issue.ts';
import type { Operation } from '../../model/operation.ts';
import type { Outcome } from '../../model/outcome.ts';
import { awaitsPerson, type Reason, type Run } from '../../model/run.ts';
import { UNDONE } from '../../model/settlement.ts';
import { isInPath, mayCreate, permissionsOf } from '../../operations/operations.ts';
import { isOwn } from '../../operations/own.ts';

const IN_FAILED = 'in failed.csv, then load that file again as it is';
const REACH = 'Check the base URL and the network from this machine, then load failed.csv again as it is.';
const DENIED_AGAIN = 'then `onboard rerun RUN --only denied`, or load failed.csv again as it is.';
const LATER =
  'Load failed.csv again as it is when the service works again; if it ' +
  'goes on failing, ask the people who run the service.';
const SETTLE =
  'Look in the service whether the record is there, then say so with `onboard resolve`, row by row or by ' +
  'the resolutions in in-doubt.csv; it is not sent again by itself, since that could create it twice.';
const FIND_ID =
  'The service accepted the record without giving its id: find it there, ' +
  'then name it with `onboard resolve`; it is not sent again by itself.';
const FIND_BAD_ID =
  'The service accepted the record, but the id that it gave can not be used: find the ' +
  'record there and name its id with `onboard resolve`; it is not sent again by itself.';
const FIND_OWN_ID =
  "The service accepted the record, but gave it another row's id: find the record there, name its own id with `onboard " +
  'resolve`, and see in results.csv which row has that id, since it ' +
  'may be wrong there; it is not sent again by itself.';
const CHOOSE =
  "The service has more than one record under this key: find out which one is the row's, name " +
  'it with `onboard resolve`, and have the others removed; it is not sent again by itself.';

const BY_ISSUE: Readonly<Record<Issue['code'], string>> = {
  unreadable_row: `Correct the row ${IN_FAILED}.`,
  cell_not_convertible: `Correct the cell ${IN_FAILED}; or give the column a conversion in the job definition.`,
  missing_required: `Fill the field ${IN_FAILED}.`,
  empty_key: `Give the row its key ${IN_FAILED}.`,
  empty_row: 'Nothing to send: fill the row or take it out of the file.',
  duplicate_key: `Give each record its own key ${IN_FAILED}; or leave the row out where it is the same record twice.`,
  same_row:
    'Leave the row out where it is the same record twice. Where two are meant, set `checks: { same_row: warn }` in the job ' +
    'definition, and `onboard rerun RUN --job-file` with it.',
  key_alike:
    'Leave the row out where it is the same record as the one that its message names; ' +
    `else correct its key ${IN_FAILED}. \`keyForm: exact\` in the job definition keeps ` +
    'such keys apart, but for those that a job without it has loaded.',
  key_known:
    'The record exists already: leave the row out, or set ' +
    '`onKnownKey` to skip or update in the job definition.',
  key_held:
    'Another run has this key, or this very row: let it finish, or cancel it ' +
    '(the message names it), then load failed.csv again as it is.',
  key_in_doubt:
    'Another row with this key, or of this content, may have created the record: settle that row with `onboard ' +
    'resolve`, then load failed.csv again as it is. Until then nothing is sent under the key.',
  bad_path_id: `Correct the id ${IN_FAILED}.`,
  row_in_doubt:
    'Look in the service whether the record is there, then settle the row in its own ' +
    'run with `onboard resolve`; rows in doubt are not sent again from a report file.',
  group_conflict:
    'Give the rows of one key the same values, or the later ' +
    `ones none, but for the list they fill, ${IN_FAILED}.`,
  group_member:
    'Correct the other row of the same key that is named in its ' +
    'message, then load failed.csv again as it is.',
  group_too_large: 'Split the record: more rows with one key than are taken together.',
  group_apart:
    `Put all rows of the key directly below each other ${IN_FAILED}; never ` +
    'give one of them another key, which would make a record of its own.',
  changed_not_sent:
    'These keys are known already, and nothing was sent: change the ' +
    'record at the service where the file is right, or correct the file.',
  emptied_not_sent:
    'The service keeps what it has there: empty it at the service where the file is right, ' +
    'or send empty cells with `emptyCell: null`.',
  account_changed:
    'Ask the payee by a way that you knew before, never by one that came with the file. Where the account is right, ' +
    'change it at the service, then `onboard write-off` the row ' +
    'with --changed-at-service; else correct the file.',
  account_added:
    'Ask the payee by a way that you knew before; where the ' +
    'further account is right, add it at the service.',
  account_not_known: 'Compare the account with the one at the service: nothing is known of what was sent.',
  account_shared:
    'Ask the payee by a way that you knew before, never by one ' +
    'that came with the file. Where several payees have the ' +
    'account by right (a factoring or payroll firm), ' +
    '`onboard release` the row, then `onboard rerun` this run; ' +
    'else correct the file.',
  payee_repeated:
    'They were sent; results.csv names the other row. Where ' +
    'the two are one payee, it is at the service twice: take ' +
    'one of them out there, and keep one key for it.',
  plan_differs: 'Have it looked at anew with `onboard rerun`: it goes as it stands then.',
  rule_broken: `Correct the cell ${IN_FAILED}; the rule stands under \`rules\` in the job definition.`,
  reference_unknown:
    'Load the record with that key first, then `onboard rerun` ' +
    'this run, or load failed.csv again as it is.',
  reference_in_doubt:
    'Settle the record with that key with `onboard resolve`, then `onboard rerun` this run.',
  scientific_notation: `Format the column as text where the file comes from, and write the whole number ${IN_FAILED}.`,
  spreadsheet_error:
    'Correct the formula or widen the column where the file comes ' +
    `from, and write the value ${IN_FAILED}.`,
  lost_leading_zero:
    'Format the column as text where the file comes from, ' +
    `and write the number with its zeros ${IN_FAILED}.`,
  iban_invalid: `Correct the IBAN ${IN_FAILED}.`,
  bic_invalid: `Correct the BIC ${IN_FAILED}.`,
  sort_code_invalid: `Correct the sort code ${IN_FAILED}.`,
  routing_number_invalid: `Correct the routing number ${IN_FAILED}.`,
  account_implausible: `Ask whose account it is, and correct the cell, or the country or BIC beside it, ${IN_FAILED}.`,
  value_implausible: `Correct the cell ${IN_FAILED}; or give the column a conversion in the job definition.`,
  rendering: `Write the value ${IN_FAILED}, and have the export corrected.`,
  unseen_sign: `Write the value ${IN_FAILED} without it; \`format.trim\` takes spaces off the ends.`,
  word_for_nothing: `Empty the cell ${IN_FAILED}, or write the value.`,
  mojibake: `Export the file again in one encoding, or correct the text ${IN_FAILED}.`,
  number_cell:
    'Format the column as text in the workbook and type the ' +
    `value again, or write it, with ' before it, ${IN_FAILED}.`,
  totals_row:
    'Leave the line out, and write it off: it adds up or counts ' +
    'the others. If it is a record after all, give it another key.',
  describes_columns:
    'Leave the row out, and write it off; or, if it is a record, move it below the first four.',
  conflicting_columns: `Leave only one of the columns filled ${IN_FAILED}.`,
};

const BY_CODE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...BY_ISSUE,
    http_400: `Correct what the service names ${IN_FAILED}.`,
    http_401: 'Get a valid token, then go on with the same command.',
    http_404: 'Check the id and the base URL; the service knows no such record or address.',
    http_409: 'Look in the service for a record that stands in the way, then correct or drop the row.',
    http_418:
      'Correct what the service names in rejections.jsonl, in ' +
      'rejected.csv, then load that file again as it is.',
    http_429:
      'Lower `send.rate` or `send.concurrency` in the job ' +
      'definition, then load failed.csv again as it is.',
    not_created: 'Send it with `onboard rerun`, or load failed.csv again as it is.',
    redirect:
      'Set MSB_BASE_URL to the address that the service redirects to, ' +
      'then load failed.csv again as it is; a redirect is never followed.',
    connection_refused: REACH,
    name_not_found: REACH,
    host_unreachable: REACH,
    connect_timeout: REACH,
    tls_failed:
      "Check the service's certificate and this machine's trusted authorities " +
      '(NODE_EXTRA_CA_CERTS), then load failed.csv again as it is.',
    request_invalid: 'Check the token and the row for characters that HTTP cannot carry.',
    connection_lost: LATER,
    timeout:
      'Raise `send.timeoutSeconds` in the job definition if the ' +
      'service is slow, then load failed.csv again as it is.',
    client_closed: 'Load failed.csv again as it is.',
    answer_too_large: LATER,
    answer_encoded: LATER,
    answer_continued:
      'Have the people who run the service, or the gateway before it, switch off "100 Continue" for requests that don\'t ask for it, then load failed.csv again as it is.',
    answer_broken: LATER,
    answer_unreadable: LATER,
    network_error: REACH,
  }),
);

const BY_OUTCOME: Readonly<Record<Outcome, string>> = {
  created: '',
  updated: '',
  drafted: '',
  listed: '',
  adopted: '',
  skipped: '',
  invalid: `Correct the row ${IN_FAILED}.`,
  rejected: 'Correct the row in rejected.csv, then load that file again as it is.',
  denied: `Have the permission for this call granted, ${DENIED_AGAIN}`,
  failed: LATER,
  'in-doubt': SETTLE,
  cancelled: 'Load the file again if the row is to be sent after all.',
};

const IN_DOUBT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    answer_continued:
      `${SETTLE} Have "100 Continue" switched off at the service ` +
      'or the gateway before it first: every create would end so.',
    redirect:
      `${SETTLE} If the service redirects all requests, set MSB_BASE_URL ` +
      'to the address that it names; a redirect is never followed.',
    accepted_without_id: FIND_ID,
    accepted_id_unusable: FIND_BAD_ID,
    accepted_id_repeated: FIND_OWN_ID,
    found_twice: CHOOSE,
  }),
);

const FAULT = /^http_5\d\d$/;

const NO_SUCH_ADDRESS =
  'Where all rows end so, check MSB_BASE_URL: the path of this ' +
  'call holds no id, so the service knows no such address. Where ' +
  'others succeed, ask the service why. Then load failed.csv ' +
  'again as it is.';

/**
 * Refusals after which the service may still have a create's record, from this request or an
 * earlier one. Gateways answer 499 where they took the caller for gone, and may have passed the
 * request on.
 */
const MAY_BE_THERE: ReadonlySet<string> = new Set(['http_408', 'http_409', 'http_499']);

const LOOK_FIRST =
  'Look in the service whether the record is there: it may have been ' +
  'made by this very request. If it is, drop the row; only if it is ' +
  'not, correct what stands in its way and load the row again, and ' +
  'do not load failed.csv as it is.';

function permissionOf(operation: string): string {
  const names = permissionsOf(operation).map((name) => `'${name}'`);
  return names.length === 0 ? 'the permission for this call' : `the permission ${names.join(' and ')}`;
}

/** Empty: there is nothing to do. */
export function adviceFor(code: string, outcome: Outcome, operation: Operation, isPurged = false): string {
  if (isPurged && BY_OUTCOME[outcome] !== '') return 'The run was purged: the cells of its rows are gone.';
  // Whatever the reason, an unknown create is settled, not sent.
  if (outcome === 'in-doubt') return IN_DOUBT.get(code) ?? SETTLE;
  if (code === UNDONE) return '';
  if (BY_OUTCOME[outcome] === '' || outcome === 'cancelled') return BY_OUTCOME[outcome];
  if (FAULT.test(code)) return LATER;
  if (code === 'http_403')
    return `Have ${permissionOf(operation)} granted to the token's user, ${DENIED_AGAIN}`;
  if (code === 'http_404' && !isOwn(operation) && !isInPath(operation)) return NO_SUCH_ADDRESS;
  if (MAY_BE_THERE.has(code) && mayCreate(operation)) return LOOK_FIRST;
  return BY_CODE.get(code) ?? BY_OUTCOME[outcome];
}

/** Of a row that was not held. */
const RESTATED =
  'Compare it with the account at the service; where it is another one, ask the payee by a way that ' +
  'you knew before, and change it there if it is right.';

/** Of a row that was sent. */
const SENT_SHARED =
  'They were sent; results.csv names the other row. Ask the ' +
  'payees by a way that you knew before whose account it is.';

/** Empty for checks, which the job definition can make errors. */
export function warningAdvice(code: string): string {
  if (code === 'account_changed') return RESTATED;
  if (code === 'account_shared') return SENT_SHARED;
  return OF_CONTENT.has(code) ? (BY_CODE.get(code) ?? '') : '';
}

type GoingOn = Pick<Run, 'id' | 'state' | 'reason'> & { readonly plan?: string | null | undefined };

/** What takes a run on that is paused or stopped, or lost its process. */
export function goOnCommand({ id, state, reason, plan = null }: GoingOn): string {
  if (reason === 'approval') return `onboard approve ${id}${plan === null ? '' : ` --plan ${plan}`}`;
  if (reason === 'unusual') return `onboard resume ${id} --yes`;
  return `onboard ${state === 'cancelled' ? 'cancel' : 'resume'} ${id}`;
}

type Way = { readonly words: string; readonly command: string };
type Held = GoingOn & { readonly problem?: string | null | undefined };

/** Where somebody has to look first, the harmless one first; empty: nobody has to. */
export function waysOut(run: Held): readonly Way[] {
  if ((run.problem ?? null) === null || run.state !== 'paused') return [];
  const giveUp = `onboard cancel ${run.id}`;
  const goOn = goOnCommand(run);
  if (run.reason === 'adopted')
    return [
      { words: 'One is another: end the run, and put right there what was changed:', command: giveUp },
      { words: 'Each is the right one: the others are updated, too:', command: goOn },
    ];
  if (!awaitsPerson(run)) return [];
  return [
    {
      words: 'Look at the file first. Not as it should be: give it up, and nothing of it is sent:',
      command: giveUp,
    },
    {
      words: 'As it should be: every row of it is sent, and later files are compared with it:',
      command: goOn,
    },
  ];
}

export function wayWords({ words, command }: Way): string {
  return `${words} \`${command}\``;
}

type Advised = { readonly id: string; readonly operation: string; readonly problem?: string | undefined };

/** `problem`: what the run was paused for, where that is known better. */
export function reasonAdvice(reason: Reason, of: Advised): string {
  return pausedAdvice(reason, of).replaceAll('RUN', of.id);
}

function pausedAdvice(reason: Reason, { operation, problem }: Advised): string {
  if (reason === 'credentials' && problem !== undefined) return problem;
  if (reason === 'unusual' && problem !== undefined) return `${REASON_ADVICE.unusual} ${problem}`;
  if (reason === 'adopted' && problem !== undefined) return `${problem} ${REASON_ADVICE.adopted}`;
  if (reason === 'approval' && problem !== undefined)
    return `${REASON_ADVICE.approval} The file is unlike those before it. ${problem}`;
  return reason === 'permission'
    ? `The service forbids it (403): have ${permissionOf(operation)} given to the token. ${REFUSED_ROWS}`
    : REASON_ADVICE[reason];
}

const REFUSED_ROWS =
  'Rows that it refused stay denied: `onboard rerun RUN --only ' +
  'denied` sends them again once the run has finished.';

const REASON_ADVICE: Readonly<Record<Exclude<Reason, 'permission'>, string>> = {
  interrupted: 'The run was interrupted; its rows in flight were settled.',
  credentials:
    'The service refused the token (401): set a ' +
    'valid MSB_TOKEN, MSB_TOKEN_FILE or ' +
    'MSB_TOKEN_COMMAND. `onboard start` goes on by ' +
    'itself once its source gives another one.',
  'same-refusal':
    '50 rows in a row were refused alike and none was ' +
    'accepted between, which is hardly about the ' +
    'rows: correct first what the service names (the ' +
    'address, a right, the job definition, the file). ' +
    '`onboard resume RUN` goes on until 50 more are ' +
    'refused alike, `onboard resume RUN --yes` to the ' +
    'end. A job with `stopAfter` goes by that alone.',
  'unreadable-answers':
    'Five creates in a row were answered with a ' +
    'success that names no record, and are in doubt: ' +
    'see what answers at MSB_BASE_URL (a firewall, a ' +
    'gateway, another service). Resumed, the run ' +
    'sends one create, and the others once its answer ' +
    'can be read.',
  'service-away':
    'No answer came for too long: see whether the service is ' +
    'there; `onboard doctor` tries to connect to it.',
  'service-hold':
    'The service asked for a longer pause than send.awayMinutes (Retry-After). Wait until then (`onboard status` says ' +
    'when), or have `onboard resume RUN --yes` lift it: requests ' +
    'of every run to that service go out at once then.',
  'error-limit': 'Too many rows did not succeed (stopAfter): look at results.csv and the job definition.',
  'file-changed': 'The file is gone, or not what it was when it was read first: put the first one back.',
  journal:
    'The journal in ONBOARD_HOME could not be written, and ' +
    'nothing is sent without it: make room on its disk.',
  requested: 'Nothing more of it is sent until somebody resumes it.',
  window: "The job's window is closed: it goes on when it opens again.",
  approval: 'Nothing of it is sent before another person than the one who loaded it approves it.',
  adopted:
    'Look at each at the service: is it the record that its row is about? A wrong id ' +
    'changes another one. `onboard adopt --undo` takes back keys that nothing has used.',
  unusual: 'Nothing of it is sent before somebody lets it go: the file is unlike those before it.',
  canary:
    'Of the rows that went alone (send.canary), not one succeeded. First see whether MSB_BASE_URL is the right ' +
    'address: if not, correct it, and load the file there. If it ' +
    'is, look at results.csv and the job definition.',
};
