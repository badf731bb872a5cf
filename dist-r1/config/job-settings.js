/**
 * The settings of a job definition for those who write one: as a JSON Schema for editors, as a list, as a table in
 * Markdown. All of it is read off the schema of the definition.
 */
import { z } from 'zod';
import { jobDefinitionSchema } from './job-definition.js';
/** The JSON Schema of a job definition as it is written, for editors; draft 7 is what their YAML support reads. */
export function jobDefinitionJsonSchema() {
    return {
        $id: 'urn:onboard:job-definition',
        title: 'onboard job definition',
        description: 'Which operation to call for each row of a file, how columns become fields, and how to send.',
        ...z.toJSONSchema(jobDefinitionSchema, { io: 'input', target: 'draft-07' }),
    };
}
/** Every setting of a job definition, in the order of the schema, each before the settings within it. */
export function listSettings() {
    return settingsIn(jobDefinitionJsonSchema(), '');
}
function settingsIn(schema, prefix) {
    return membersOf(schema).flatMap(({ name, member, isRequired }) => {
        const path = `${prefix}${name}`;
        const within = settingsIn(member, `${path}.`);
        return name === '*' ? within : [settingOf(path, member, isRequired), ...within];
    });
}
/** The settings of an object, of each alternative that is one, and of what has names of its own. */
function membersOf(schema) {
    const alternatives = (schema.anyOf ?? []).filter((one) => typeof one === 'object').flatMap(membersOf);
    const named = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => typeof member === 'object'
        ? [{ name, member, isRequired: schema.required?.includes(name) === true }]
        : []);
    const others = schema.additionalProperties;
    const anyName = typeof others === 'object' ? [{ name: '*', member: others, isRequired: false }] : [];
    return [...named, ...anyName, ...alternatives];
}
function settingOf(path, schema, isRequired) {
    const { description = '' } = schema;
    return { path, values: describeValues(schema), isRequired, default: defaultOf(schema), description };
}
/** Empty settings and lists as a default would tell a reader nothing. */
function defaultOf({ default: value }) {
    if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0))
        return null;
    return typeof value === 'string' ? value : JSON.stringify(value);
}
/** What may stand at a place of a job definition, in words for people; literal values in backticks. */
export function describeValues(schema) {
    const distinct = [...new Set(alternativesOf(schema))];
    return distinct.every((one) => one.startsWith('`')) ? distinct.join(', ') : distinct.join(' or ');
}
function alternativesOf(schema) {
    if (schema.anyOf !== undefined) {
        return schema.anyOf.flatMap((one) => (typeof one === 'object' ? alternativesOf(one) : []));
    }
    if (schema.enum !== undefined)
        return schema.enum.map(literal);
    if (schema.const !== undefined)
        return [literal(schema.const)];
    return [schema.type].flat().map((type) => describeType(type, schema));
}
function describeType(type, schema) {
    switch (type) {
        case 'string':
            return schema.maxLength === 1 ? 'one character' : 'text';
        case 'boolean':
            return '`true`, `false`';
        case 'integer':
            return `whole number${rangeOf(schema)}`;
        case 'number':
            return `number${rangeOf(schema)}`;
        case 'array':
            return `list of ${describeItems(schema)}`;
        case 'object':
            return describeObject(schema);
        default:
            return literal(null);
    }
}
function describeItems({ items }) {
    return typeof items === 'object' && !Array.isArray(items) ? describeValues(items) : 'anything';
}
function describeObject({ properties, additionalProperties }) {
    if (properties !== undefined)
        return 'settings';
    return typeof additionalProperties === 'object'
        ? `names, each with ${describeValues(additionalProperties)}`
        : 'settings';
}
function rangeOf({ minimum, exclusiveMinimum, maximum }) {
    // zod bounds every whole number by the largest that a double holds exactly.
    const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
    const ends = [
        ...(minimum === undefined ? [] : [`from ${minimum}`]),
        ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
        ...(most === undefined ? [] : [`up to ${most}`]),
    ];
    return ends.length === 0 ? '' : ` ${ends.join(' ')}`;
}
function literal(value) {
    return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
/** The settings as a Markdown table. */
export function renderSettings(settings) {
    const rows = settings.map((setting) => [
        `\`${setting.path}\``,
        setting.values,
        defaultCell(setting),
        setting.description,
    ]);
    return [['setting', 'values', 'default', 'what it says'], ['---', '---', '---', '---'], ...rows]
        .map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
        .join('\n');
}
function defaultCell({ isRequired, default: value }) {
    if (isRequired)
        return 'required';
    return value === null ? 'none' : `\`${value}\``;
}
/** Markdown takes a bare `|` for the end of a cell. */
function cellText(text) {
    return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
//# sourceMappingURL=job-settings.js.map