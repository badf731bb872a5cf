import { expectedExitCode, expectedOutcomes, SAMPLES } from './make-sample.mjs';

/** samples/README.md: what is in each file, what is wrong with it, what comes of it. */
export function renderReadme() {
  return [
    '# Samples',
    '',
    'Invented people, companies and accounts; any likeness is chance. Made by `npm run samples`, the same on every machine.',
    '',
    'The outcomes are those of `onboard run <job> samples/<file> --sandbox` in a fresh `ONBOARD_HOME`, after the files named under "after".',
    '',
    '| file | job | after | rows | exit | outcomes |',
    '| --- | --- | --- | --- | --- | --- |',
    ...SAMPLES.map(tableLine),
    '',
    '## What is wrong with them, and what is only unusual',
    ...SAMPLES.flatMap(mistakeLines),
    '',
    '## Large files',
    '',
    '```sh',
    'node scripts/make-samples.mjs --operation subclient.create --rows 5000 --out /tmp/5000.csv',
    'node scripts/make-samples.mjs --operation counterparty.draft --rows 100000 --mistakes 1% --out /tmp/100000.csv',
    '```',
    '',
    'The sandbox knows the subclients `sub-0001` to `sub-0300` and the payments `pay-0001` to `pay-0300`: in larger files of `subclient.update` and `payment.documents` the rows above 300 end as `failed` (404).',
    '',
  ].join('\n');
}

function tableLine(sample) {
  const after = (sample.before ?? []).map((file) => `\`${file}\``).join(', ');
  const outcomes = expectedOutcomes(sample);
  const what = outcomes === null ? 'refused: nothing is sent' : countsInWords(outcomes);
  const rows = outcomes === null ? '' : Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return `| \`${sample.file}\` | ${sample.job} | ${after} | ${rows} | ${expectedExitCode(sample)} | ${what} |`;
}

function countsInWords(outcomes) {
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function mistakeLines(sample) {
  const heading = ['', `### ${sample.file}`, ''];
  if (sample.refused !== undefined) return [...heading, `The whole file is refused: ${sample.refused}.`];
  const groups = groupMistakes(sample.mistakes);
  if (groups.length === 0) return [...heading, 'Nothing: every row succeeds.'];
  return [
    ...heading,
    '| row | what | outcome |',
    '| --- | --- | --- |',
    ...groups.map(({ rows, note, outcome }) => `| ${rowsInWords(rows)} | ${note} | ${outcome} |`),
  ];
}

/** One line per note; the rows keep the file's order. */
function groupMistakes(mistakes) {
  const groups = new Map();
  for (const { row, note, outcome } of mistakes.toSorted((a, b) => a.row - b.row)) {
    const group = groups.get(note) ?? { rows: [], note, outcome };
    group.rows.push(row);
    groups.set(note, group);
  }
  return [...groups.values()];
}

function rowsInWords(rows) {
  return rows.length > 8 ? `${rows.length} rows from ${rows[0]} to ${rows.at(-1)}` : rows.join(', ');
}

/**
 * test/samples/expected.json: the same for the test that runs every sample; `outcomes` is null of
 * one that is refused.
 */
export function renderExpectations() {
  const expected = SAMPLES.map((sample) => ({
    file: sample.file,
    job: sample.job,
    before: sample.before ?? [],
    exitCode: expectedExitCode(sample),
    outcomes: expectedOutcomes(sample),
  }));
  // Lists on one line, as the formatter wants them.
  return `${JSON.stringify(expected, null, 2).replaceAll(/\[\s+("[^\]]*?)\s+\]/g, '[$1]')}\n`;
}
