/** The interface for machines, described as OpenAPI 3.1: made from the routes' own schemas. */
import { z } from 'zod';
import { programVersion } from '../../lib/version.ts';
import { type MachineRoute, machineRoute, PROBLEM_STATUSES, problemSchema } from '../web/machines.ts';

const describedAnswer = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

/** The route that answers with the description of these and of itself. */
export function description<Part>(routes: readonly MachineRoute<Part>[]): MachineRoute<Part> {
  const own: MachineRoute<Part> = machineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    role: 'viewer',
    summary: 'This description',
    answers: { 200: describedAnswer },
    answer: async () => ({ status: 200 as const, value: describe([...routes, own]) }),
  });
  return own;
}

function describe<Part>(routes: readonly MachineRoute<Part>[]) {
  const paths = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operationOf(route) });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'onboard', version: programVersion() },
    servers: [{ url: '/' }],
    security: [{ machine: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { machine: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problemSchema, 'output') },
    },
  };
}

function operationOf<Part>(route: MachineRoute<Part>) {
  const { method, path, role, summary, body, answers, isOnce } = route;
  return {
    operationId: nameOf(method, path),
    summary,
    description: role === 'operator' ? 'For a token with the role operator.' : undefined,
    parameters: [...inPath(path), ...inQuery(route), ...(isOnce ? [ONCE] : [])],
    requestBody: method === 'PUT' ? FILE : bodyOf(body),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, schema]) => [status, answerOf(schema)])),
      ...Object.fromEntries(PROBLEM_STATUSES.map((status) => [status, PROBLEM])),
    },
  };
}

const PROBLEM = {
  description: 'Why nothing was done (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const FILE = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const ONCE = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^[!-~]{1,200}$' },
};

/** `postApiRunsIdPause` */
function nameOf(method: string, path: string): string {
  const words = path
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
    .split(' ');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function inPath(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

function inQuery<Part>({ query }: MachineRoute<Part>) {
  const { properties, required } = objectSchema.parse(schemaOf(query, 'input'));
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema };
  });
}

function bodyOf(body: z.ZodType | null) {
  if (body === null) return undefined;
  return { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } };
}

function answerOf(schema: z.ZodType) {
  return { description: 'Done', content: { 'application/json': { schema: schemaOf(schema, 'output') } } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...own } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => nameMembers(jsonSchema),
  });
  return own;
}

/** A record with known names is an object with these members: generators make types of them. */
function nameMembers(schema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames, additionalProperties: value } = schema;
  const names = typeof propertyNames === 'object' ? (propertyNames.enum ?? []) : [];
  if (names.length === 0 || value === undefined) return;
  schema.properties = Object.fromEntries(names.map((name) => [String(name), value]));
  schema.additionalProperties = false;
  delete schema.propertyNames;
}
