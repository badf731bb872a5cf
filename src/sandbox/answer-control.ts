import { Readable } from 'node:stream';
import { z } from 'zod';
import { UsageError } from '../lib/usage-error.ts';
import type { Answer } from './answer.ts';
import { bareAnswer, errorAnswer, jsonAnswer } from './answer.ts';
import type { SandboxControl } from './control.ts';
import type { Entity } from './entity-list.ts';
import { pathOf } from './match-call.ts';
import type { ReceivedBody } from './read-body.ts';
import { ENTITY_KINDS } from './records.ts';

/** `stream`: NDJSON of any length. */
export type ControlAnswer = Answer | { readonly kind: 'stream'; readonly lines: Readable };

const faultsSchema = z.strictObject({ faults: z.array(z.string()) });
const tokenSchema = z.strictObject({ token: z.string().min(1), valid: z.boolean() });
const downSchema = z.strictObject({ down: z.boolean() });
const entitiesQuerySchema = z.object({
  kind: z.enum(ENTITY_KINDS),
  after: z.coerce.number().int().min(-1).default(-1),
});
const requestsQuerySchema = z.object({ last: z.coerce.number().int().min(1).default(100) });

/** The answer to a request below /sandbox/. */
export function answerControl(
  request: { readonly method: string; readonly target: string; readonly body: ReceivedBody },
  control: SandboxControl,
): ControlAnswer {
  const query = Object.fromEntries(new URLSearchParams(request.target.slice(pathOf(request.target).length)));
  const body = request.body.kind === 'json' ? request.body.value : null;
  switch (`${request.method} ${pathOf(request.target)}`) {
    case 'GET /sandbox/stats':
      return jsonAnswer(200, control.stats());
    case 'GET /sandbox/entities':
      return withParsed(entitiesQuerySchema, query, ({ kind, after }) => ({
        kind: 'stream',
        lines: ndjson(control.entities(kind, after + 1)),
      }));
    case 'GET /sandbox/requests':
      return withParsed(requestsQuerySchema, query, ({ last }) => jsonAnswer(200, control.requests(last)));
    case 'POST /sandbox/faults':
      return withParsed(faultsSchema, body, ({ faults }) => done(() => control.setFaults(faults)));
    case 'POST /sandbox/tokens':
      return withParsed(tokenSchema, body, ({ token, valid }) => done(() => control.setToken(token, valid)));
    case 'POST /sandbox/down':
      return withParsed(downSchema, body, ({ down }) => done(() => control.setDown(down)));
    default:
      return errorAnswer(404, 'no such control call');
  }
}

function withParsed<T>(
  schema: z.ZodType<T>,
  value: unknown,
  answer: (parsed: T) => ControlAnswer,
): ControlAnswer {
  const parsed = schema.safeParse(value);
  if (parsed.success) return answer(parsed.data);
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return jsonAnswer(400, { error: 'the call could not be read', problems });
}

function done(act: () => void): ControlAnswer {
  try {
    act();
    return bareAnswer(204);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return jsonAnswer(400, { error: error.message, problems: error.problems });
  }
}

const LINES_PER_CHUNK = 1000;

function ndjson(entities: Iterable<Entity>): Readable {
  return Readable.from(chunksOfLines(entities));
}

function* chunksOfLines(entities: Iterable<Entity>): Generator<string> {
  let chunk = '';
  let lines = 0;
  for (const entity of entities) {
    chunk += `${JSON.stringify(entity)}\n`;
    lines += 1;
    if (lines % LINES_PER_CHUNK !== 0) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
