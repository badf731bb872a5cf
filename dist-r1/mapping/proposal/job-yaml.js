import { printable } from '../../lib/terminal.js';
/** A proposal as a commented job definition; no cell values but words that mean yes and no. */
export function jobYaml(proposal, origin) {
    const sections = [
        heading(proposal, origin),
        keyLines(proposal),
        formatLines(origin.format),
        fieldLines(proposal),
        openLines(proposal),
        proposal.required.length === 0 ? [] : [`required: ${flow(proposal.required)}`],
    ];
    return `${sections
        .filter((lines) => lines.length > 0)
        .map((lines) => lines.join('\n'))
        .join('\n\n')}\n`;
}
function heading({ operation }, { file, understood, rows }) {
    return [
        `# Proposed from the header of ${quoted(file)} (${understood}) and its first ${rows === 1 ? 'row' : `${rows} rows`}.`,
        '# Read it through before anything is sent; `onboard check --job-file` on the file says what does not fit yet.',
        `operation: ${operation}`,
        '# Patterns of the inbox files that this job takes:',
        '# files: "partner/*"',
    ];
}
function keyLines({ key, operation }) {
    if (key === null) {
        return [
            "# No column looks like the rows' own key. Without one, a row's place in the file is its identity, and the same",
            '# record in another file is created again. Name the column where there is one:',
            '# key: …',
        ];
    }
    const { column, flaws, isGrouped } = key;
    const seen = flaws === 0
        ? 'Each of the rows looked at has one of its own.'
        : `Of the rows looked at, ${flaws} ${flaws === 1 ? 'has' : 'have'} none of ${flaws === 1 ? 'its' : 'their'} own.`;
    return [
        `# The rows' own key: the ledger knows them by it. ${seen}`,
        `key: ${scalar(column)}`,
        ...(isGrouped && operation === 'counterparty.draft' ? GROUP : []),
    ];
}
const GROUP = [
    '# Rows with the same key stand together. Where they are accounts of one counterparty, take out the # before this line:',
    '# group: accounts',
];
function formatLines(format) {
    const settings = Object.entries(format).map(([name, value]) => `${name}: ${typeof value === 'number' ? value : scalar(String(value))}`);
    return settings.length === 0 ? [] : [`format: { ${settings.join(', ')} }`];
}
function fieldLines({ fields, itself, missingId }) {
    const own = itself.map((column) => `#   ${quoted(column)}`);
    const lines = fields.flatMap(fieldLine);
    const isEmpty = fields.every(({ isDecided }) => !isDecided);
    return [
        ...(own.length === 0 ? [] : ['# These headers are field paths and need no line:', ...own]),
        ...(lines.length === 0 && missingId === null
            ? []
            : ['# Request field ← column', isEmpty ? '# fields:' : 'fields:']),
        ...lines,
        ...(missingId === null
            ? []
            : [
                `  # The request's path needs the identifier that the service gave, and no column was found for it:`,
                `  # ${missingId}: …`,
            ]),
    ];
}
function fieldLine({ field, column, notation, notes, isDecided }) {
    const settings = Object.entries(notation).map(([name, value]) => `${settingName(name)}: ${settingValue(value)}`);
    const source = settings.length === 0 ? scalar(column) : `{ ${[`column: ${scalar(column)}`, ...settings].join(', ')} }`;
    const line = `${scalar(field)}: ${source}`;
    return [...notes.map((note) => `  # ${note}`), isDecided ? `  ${line}` : `  # ${line}`];
}
function openLines({ open }) {
    if (open.length === 0)
        return [];
    return [
        '# Columns that are not sent. Decide for each: give it a line under "fields", or leave it here.',
        'ignore:',
        ...open.map(({ column, reason }) => `  - ${scalar(column)} # ${reason}`),
    ];
}
/** A setting's name, in quotes where YAML would take it for a boolean. */
function settingName(name) {
    return name === 'true' || name === 'false' ? `"${name}"` : name;
}
/** A setting's value on one line. */
function settingValue(value) {
    return Array.isArray(value) ? flow(value.map(String)) : scalar(String(value));
}
/** A list on one line. */
function flow(values) {
    return `[${values.map(scalar).join(', ')}]`;
}
const PLAIN = /^[A-Za-z][\w./]*(?: [\w./]+)*$/;
/** Words that some version of YAML takes for something else than text. */
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);
/** Text as a YAML scalar on one line: JSON's strings are YAML's, too. */
function scalar(text) {
    return PLAIN.test(text) && !WORDS.has(text.toLowerCase()) ? text : quoted(text);
}
/** Text in quotes on one line, whatever characters it holds. */
function quoted(text) {
    return printable(JSON.stringify(text));
}
//# sourceMappingURL=job-yaml.js.map