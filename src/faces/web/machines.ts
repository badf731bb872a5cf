/**
 * The interface for machines: routes that take and answer JSON, told apart from pages by `/api/`. A
 * token in the head of each request says who asks; no cookie is read there. Refusals are problem
 * details (RFC 9457). A route says what it takes and answers by schemas, which the description
 * (page/openapi.ts) is made from.
 */
import type { Context, Env, Hono } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { withDeadline } from '../../lib/waiting.ts';
import type { Role, Visitor } from '../../model/ask.ts';
import type { WebAccess } from './access.ts';
import { textWithin } from './guard.ts';
import { createTries, digestOf, isSame } from './sessions.ts';
import type { Core } from './visit.ts';

/** `Query`, `Body`: as the route's schemas make them. */
export type MachineVisit<Part, Query = unknown, Body = unknown> = {
  readonly visitor: Visitor;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The caller's own name for what it asks, under which it is done once. */
  readonly once: string | null;
  /** Of an upload; else `null`. */
  readonly bytes: AsyncIterable<Uint8Array> | null;
  readonly page: Core & Part;
};

export type MachineReply = { readonly status: 200 | 201 | 202; readonly value: unknown };

export type MachineRoute<Part = unknown> = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:names`, below `/api/`. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query: z.ZodType;
  /** `null`: none, or an upload's bytes. */
  readonly body: z.ZodType | null;
  /** By status. */
  readonly answers: Readonly<Partial<Record<MachineReply['status'], z.ZodType>>>;
  readonly isOnce: boolean;
  answer(visit: MachineVisit<Part>): Promise<MachineReply>;
};

type Described<Part, Query extends z.ZodType, Body extends z.ZodType> = Pick<
  MachineRoute<Part>,
  'method' | 'path' | 'role' | 'summary' | 'answers'
> & {
  readonly query?: Query;
  readonly body?: Body;
  /** A start: it asks for an Idempotency-Key. */
  readonly isOnce?: boolean;
  answer(visit: MachineVisit<Part, z.infer<Query>, z.infer<Body>>): Promise<MachineReply>;
};

const NOTHING = z.strictObject({});

/** Parses what comes before the route sees it. */
export function machineRoute<
  Part,
  Query extends z.ZodType = typeof NOTHING,
  Body extends z.ZodType = typeof NOTHING,
>({ answer, query, body, isOnce = false, ...own }: Described<Part, Query, Body>): MachineRoute<Part> {
  const asked = z.object({ query: query ?? NOTHING, body: body ?? NOTHING });
  return {
    ...own,
    isOnce,
    query: query ?? NOTHING,
    body: body ?? null,
    answer(visit) {
      const parsed = asked.safeParse({ query: visit.query, body: visit.body });
      if (!parsed.success) throw new MachineProblem(400, parsed.error.issues.map(issueWords));
      const taken = z.custom<{ query: z.infer<Query>; body: z.infer<Body> }>().parse(parsed.data);
      return answer({ ...visit, ...taken });
    },
  };
}

function issueWords({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.')}: ${message}`;
}

export const PROBLEM_STATUSES = [400, 401, 403, 404, 409, 413, 415, 421, 429, 500, 503] as const;
type ProblemStatus = (typeof PROBLEM_STATUSES)[number];

/** Why nothing was done, with the status that says so. */
export class MachineProblem extends UsageError {
  readonly status: ProblemStatus;
  constructor(status: ProblemStatus, problems: readonly string[]) {
    super([...problems]);
    this.status = status;
  }
}

const TITLES: Readonly<Record<ProblemStatus, string>> = {
  400: 'Not understood',
  401: 'No token',
  403: 'Not allowed',
  404: 'Not here',
  409: 'Not done',
  413: 'Too large',
  415: 'Not JSON',
  421: 'Another host',
  429: 'Too many requests',
  500: 'Failed',
  503: 'Not now',
};

export const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
});

export function problemResponse(
  status: ProblemStatus,
  words: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const problem = { type: 'about:blank', title: TITLES[status], status, detail: words.join(' ') } as const;
  return new Response(JSON.stringify(problem satisfies z.infer<typeof problemSchema>), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

type Machines<Page extends Core, E extends Env> = {
  readonly page: Page;
  readonly routes: readonly MachineRoute<Page>[];
  readonly access: Pick<WebAccess, 'people'>;
  readonly log: Log;
  addressOf(context: Context<E>): string;
};

export function addMachineRoutes<Page extends Core, E extends Env>(
  app: Hono<E>,
  machines: Machines<Page, E>,
): void {
  const gate = createGate(machines.access);
  for (const route of machines.routes) {
    app.on(route.method, route.path, async (context: Context<E>) => {
      const entered = await gate(
        context.req.header('authorization') ?? '',
        machines.addressOf(context),
      ).catch((error: unknown) => ({ refused: broken(error, route, machines.log) }));
      if ('refused' in entered) return entered.refused;
      try {
        return await answered(route, context, entered.visitor, machines.page);
      } catch (error) {
        return failed(error, route, machines.log);
      }
    });
  }
  app.all('/api/*', () => problemResponse(404, ['There is no such address in the interface.']));
}

async function answered<Page extends Core, E extends Env>(
  route: MachineRoute<Page>,
  context: Context<E>,
  visitor: Visitor,
  page: Page,
): Promise<Response> {
  if (route.role === 'operator' && visitor.role !== 'operator')
    throw new MachineProblem(403, ['That is for operators: this token is a viewer’s.']);
  const { raw } = context.req;
  const once = context.req.header('idempotency-key') ?? null;
  if (route.isOnce && (once === null || !ONCE.test(once)))
    throw new MachineProblem(400, ['Idempotency-Key: expected one, of 1 to 200 visible ASCII characters.']);
  const reply = route.answer({
    visitor,
    params: context.req.param(),
    query: Object.fromEntries(new URL(raw.url).searchParams),
    body: route.method === 'POST' ? await bodyOf(raw) : {},
    once,
    bytes: route.method === 'PUT' ? raw.body : null,
    page,
  });
  const done = route.method === 'GET' ? await withDeadline(reply, LOOK_MS) : await reply;
  if (done === 'late') throw new MachineProblem(503, [LATE]);
  return Response.json(done.value, { status: done.status });
}

const ONCE = /^[\x21-\x7e]{1,200}$/;
/** As long as a look of the page may take. */
const LOOK_MS = 6_000;
const LATE = 'Redis does not answer. That loses no row: ask again in a moment.';
const BODY_BYTES = 65_536;

/** An empty body is an empty object. */
async function bodyOf(request: Request): Promise<unknown> {
  const text = await textWithin(request, BODY_BYTES);
  if (text === null)
    throw new MachineProblem(413, [`The body has more than ${BODY_BYTES} bytes: expected less.`]);
  if (text === '') return {};
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new MachineProblem(415, ['Content-Type: expected application/json.']);
  try {
    return JSON.parse(text);
  } catch {
    throw new MachineProblem(400, ['The body is no JSON.']);
  }
}

function failed(error: unknown, route: Pick<MachineRoute, 'path'>, log: Log): Response {
  if (error instanceof MachineProblem) return problemResponse(error.status, error.problems);
  if (error instanceof UsageError) return problemResponse(409, error.problems);
  return broken(error, route, log);
}

function broken(error: unknown, { path }: Pick<MachineRoute, 'path'>, log: Log): Response {
  // An error may hold what a viewer must not see.
  log.error('the interface for machines', { path, problem: messageOf(error) });
  return problemResponse(500, ['Something went wrong on this side. The log of the page has more.']);
}

type Entered = { readonly visitor: Visitor } | { readonly refused: Response };

const PER_TOKEN = { points: 600, duration: 60 };
const CHALLENGE = { 'www-authenticate': 'Bearer' };

/** Who asks, by the token; every failure reads the same, and many of them mean a wait. */
function createGate({ people }: Pick<WebAccess, 'people'>) {
  const tries = createTries();
  const perToken = new RateLimiterMemory(PER_TOKEN);
  return async (authorization: string, address: string): Promise<Entered> => {
    const [, token] = /^Bearer ([\w-]{1,200})$/i.exec(authorization) ?? [];
    if (token === undefined)
      return { refused: problemResponse(401, ['Expected Authorization: Bearer TOKEN.'], CHALLENGE) };
    const digest = digestOf(token);
    const machine = (await people()).find((one) => one.maker !== undefined && isSame(one.digest, digest));
    if (machine === undefined) {
      if (!(await tries.take(address))) return { refused: tooMany(60) };
      return { refused: problemResponse(401, ['No machine has that token now.'], CHALLENGE) };
    }
    const wait = await secondsToWait(perToken, machine.name);
    if (wait > 0) return { refused: tooMany(wait) };
    const { name, role, maker } = machine;
    return { visitor: { name, role, maker } };
  };
}

async function secondsToWait(limiter: RateLimiterMemory, name: string): Promise<number> {
  try {
    await limiter.consume(name);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    throw error;
  }
}

function tooMany(seconds: number): Response {
  const words = `Too many requests: ask again in ${seconds} s.`;
  return problemResponse(429, [words], { 'retry-after': String(seconds) });
}
