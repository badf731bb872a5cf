/**
 * The operations of the service (service-api.md, section 4): what each call looks like on the wire, how a row becomes
 * its request, and which fields a row can fill. All of it is read off `CALL_SPECS` and the request schemas, so that a
 * field that the document names stands in one place.
 */
import { z } from 'zod';
import { counterpartyRequestSchema, subclientRequestSchema } from './request-schemas.js';
const CALL_SPECS = {
    'subclient.create': {
        method: 'POST',
        path: '/v1/subclients',
        pathParameter: null,
        body: subclientRequestSchema,
    },
    'subclient.update': {
        method: 'PATCH',
        path: '/v1/subclients/',
        pathParameter: 'id',
        body: subclientRequestSchema,
    },
    'counterparty.draft': {
        method: 'POST',
        path: '/v3/counterparties/draft',
        pathParameter: null,
        body: counterpartyRequestSchema,
    },
    'payment.documents': {
        method: 'GET',
        path: '/v1/documents/payments/attachments/',
        pathParameter: 'paymentId',
        body: null,
    },
};
/** The call whose path parameter and body say what a row of the operation can carry. */
const WIDEST_CALL = {
    'subclient.create': 'subclient.create',
    'subclient.update': 'subclient.update',
    'subclient.upsert': 'subclient.update',
    'counterparty.draft': 'counterparty.draft',
    'payment.documents': 'payment.documents',
};
/** The field of a row that goes into the path; `null` where the path has no parameter. An upsert can do without it. */
export function pathFieldOf(operation) {
    return CALL_SPECS[WIDEST_CALL[operation]].pathParameter;
}
/** The schema of the operation's request body; `null` where its call has no body. */
export function bodySchemaOf(operation) {
    return CALL_SPECS[WIDEST_CALL[operation]].body;
}
/** The request of one row; throws where the path id is unusable, which the mapping has to refuse before. */
export function buildRequest(call, parts) {
    const spec = CALL_SPECS[call];
    return {
        call,
        method: spec.method,
        path: pathOf(spec, parts.pathId) + queryOf(parts.query),
        body: spec.body === null ? null : JSON.stringify(parts.body),
    };
}
function pathOf(spec, pathId) {
    if (spec.pathParameter === null)
        return spec.path;
    const segment = pathId === null ? null : pathSegment(pathId);
    if (segment !== null)
        return spec.path + segment;
    throw new Error(`a request for ${spec.method} ${spec.path}{${spec.pathParameter}} was built without a usable id`);
}
/** The text percent-encoded as one segment of a path; `null` where it would lead elsewhere, or can't be encoded. */
export function pathSegment(text) {
    // Encoding leaves `.` and `..` as they are, and a server would resolve them to another path.
    return text === '' || text === '.' || text === '..' || !text.isWellFormed()
        ? null
        : encodeURIComponent(text);
}
function queryOf(query) {
    let text = '';
    for (const name in query) {
        text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(query[name] ?? '')}`;
    }
    return text;
}
const catalogs = new Map();
/** Every field of an operation's request body with its type, read off the zod schema; empty where there is no body. */
export function fieldCatalog(operation) {
    const known = catalogs.get(operation);
    if (known !== undefined)
        return known;
    const schema = bodySchemaOf(operation);
    const catalog = new Map(schema === null ? [] : fieldsOf(schema, ''));
    catalogs.set(operation, catalog);
    return catalog;
}
function fieldsOf(object, prefix) {
    return Object.entries(object.shape).flatMap(([name, member]) => fieldsAt(unwrap(member), prefix + name));
}
function fieldsAt(schema, path) {
    if (schema instanceof z.ZodObject) {
        return Object.keys(schema.shape).length === 0 ? [[path, 'object']] : fieldsOf(schema, `${path}.`);
    }
    if (!(schema instanceof z.ZodArray))
        return [[path, scalarType(schema, path)]];
    const element = unwrap(schema.element);
    if (element instanceof z.ZodObject)
        return fieldsOf(element, `${path}.#.`);
    return [[path, 'string-list']];
}
function scalarType(schema, path) {
    if (schema instanceof z.ZodBoolean)
        return 'boolean';
    // z.int() is a ZodNumber too, so that integers are told first.
    if (schema instanceof z.ZodNumberFormat)
        return 'integer';
    if (schema instanceof z.ZodNumber)
        return 'number';
    if (schema instanceof z.ZodISODateTime)
        return 'date-time';
    if (schema instanceof z.ZodString)
        return schema.meta()?.field === 'country' ? 'country' : 'string';
    throw new Error(`the request schema has a type at "${path}" that the field catalog doesn't know`);
}
function unwrap(schema) {
    return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}
//# sourceMappingURL=operations.js.map