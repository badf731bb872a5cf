import type { Answer } from './answer.ts';
import { bareAnswer, errorAnswer } from './answer.ts';
import type { AfterRule, BeforeRule } from './fault-rule.ts';
import { isObject } from './json-object.ts';

/** The answer of a fault that strikes before anything is done. */
export function answerBefore(rule: BeforeRule): Answer {
  switch (rule.name) {
    case '503':
    case '503-retry-after':
    case '429':
      return bareAnswer(Number(rule.name.slice(0, 3)), retryAfter(rule.retryAfterSeconds));
    case '500':
    case '401':
    case '403':
    case '404':
      return errorAnswer(Number(rule.name), 'a fault that was asked for');
    case 'reset-before':
      return { kind: 'close' };
    case 'hang-before':
      return { kind: 'hang' };
    default:
      return rule.name satisfies never;
  }
}

/** The answer of a fault that strikes after `answer` was due: what it reports has been done. */
export function answerAfter(rule: AfterRule, answer: Extract<Answer, { kind: 'response' }>): Answer {
  switch (rule.name) {
    case '503-after-create':
      return bareAnswer(503);
    case '500-after-create':
      return errorAnswer(500, 'a fault that was asked for');
    case 'reset-after-create':
      return { kind: 'reset' };
    case 'hang':
      return { kind: 'hang' };
    case 'cut-answer':
      return { kind: 'cut', status: answer.status, body: answer.body };
    case 'not-json':
      return { ...answer, headers: { 'content-type': 'text/html' }, body: '<html><body>OK</body></html>' };
    case 'no-id':
      return { ...answer, body: JSON.stringify(withoutId(JSON.parse(answer.body))) };
    default:
      return rule.name satisfies never;
  }
}

function retryAfter(seconds: number | null): Readonly<Record<string, string>> {
  return seconds === null ? {} : { 'retry-after': String(seconds) };
}

function withoutId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutId);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
}
