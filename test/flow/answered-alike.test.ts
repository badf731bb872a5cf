import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { serveHttp } from '../support/server.ts';

const AT_ONCE = 20;

/** A service that answers each create as `answer` does; `asked`: how many came so far. */
async function startLoad({
  rows,
  more = '',
  answer,
}: {
  readonly rows: number;
  readonly more?: string;
  readonly answer: (outgoing: ServerResponse, asked: number) => void;
}) {
  let asked = 0;
  const url = await serveHttp(async (incoming, outgoing) => {
    await text(incoming);
    asked += 1;
    answer(outgoing, asked);
  });
  const flow = await startFlow({ env: { MSB_BASE_URL: url } });
  const job = `${createJob(`concurrency: ${AT_ONCE}, canary: 0`)}${more}`;
  const args = [
    '--job-file',
    await flow.file('job.yaml', job),
    await flow.file('rows.csv', subclientsCsv(rows)),
  ];
  return { flow, args, asked: () => asked };
}

const refuse = (outgoing: ServerResponse) =>
  void outgoing
    .writeHead(409, { 'content-type': 'application/problem+json' })
    .end('{"title":"a twin exists"}');
const create = (outgoing: ServerResponse, asked: number) =>
  void outgoing.writeHead(200).end(`{"id":"s-${asked}"}`);

describe('rows that are refused alike pause their run', () => {
  test('after 50 and what was in flight, with what the service said; resumed it goes on for 50 more, and by --yes to the end', async () => {
    const { flow, args, asked } = await startLoad({ rows: 400, answer: refuse });
    const { exitCode, stdout, summary } = await flow.run(args);
    expect([exitCode, summary.state, summary.reason]).toEqual([2, 'paused', 'same-refusal']);
    expect(summary.outcomes.failed).toBe(asked());
    expect(asked()).toBeGreaterThanOrEqual(50);
    expect(asked()).toBeLessThan(50 + AT_ONCE);
    expect(stdout).toContain('a twin exists');

    const before = asked();
    expect((await flow.onboard(['resume', summary.run])).exitCode).toBe(2);
    expect(asked() - before).toBeGreaterThanOrEqual(50);
    expect(asked() - before).toBeLessThan(50 + AT_ONCE);

    expect((await flow.onboard(['resume', summary.run, '--yes'])).exitCode).toBe(1);
    expect(asked()).toBe(400);
  });

  test('not where one was accepted between', async () => {
    // Twenty are in flight at once, and may be recorded in any order.
    const { flow, args } = await startLoad({
      rows: 150,
      answer: (outgoing, asked) => (asked % 10 === 0 ? create(outgoing, asked) : refuse(outgoing)),
    });
    const { exitCode, summary } = await flow.run(args);
    expect([exitCode, summary.outcomes.created, summary.outcomes.failed]).toEqual([1, 15, 135]);
  });

  test('not where the job says itself when to stop', async () => {
    const { flow, args } = await startLoad({ rows: 120, more: 'stopAfter: 100%\n', answer: refuse });
    const { exitCode, summary } = await flow.run(args);
    expect([exitCode, summary.outcomes.failed]).toEqual([1, 120]);
  });
});

describe('creates whose answers say nothing of a record pause their run', () => {
  const page = '<html><head><title>Request\n blocked</title></head></html>';
  const ANSWERS: ReadonlyArray<[string, (outgoing: ServerResponse) => void, string]> = [
    [
      "a firewall's page",
      (outgoing) => void outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
      'The service answered 200, but its answer was not JSON (text/html, “Request blocked”).',
    ],
    [
      'a success without a record',
      (outgoing) => void outgoing.writeHead(202).end('{"success":false}'),
      'The service answered 202, but its answer carried no id.',
    ],
  ];

  test.each(ANSWERS)('%s', async (_, answer, message) => {
    let isWell = false;
    const { flow, args, asked } = await startLoad({
      rows: 200,
      answer: (outgoing, n) => (isWell ? create(outgoing, n) : answer(outgoing)),
    });
    const { exitCode, stdout, summary } = await flow.run(args);
    expect([exitCode, summary.reason]).toEqual([2, 'unreadable-answers']);
    expect(summary.outcomes['in-doubt']).toBe(asked());
    expect(asked()).toBeGreaterThanOrEqual(5);
    expect(asked()).toBeLessThan(5 + AT_ONCE);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(message);

    const before = asked();
    expect((await flow.onboard(['resume', summary.run])).exitCode).toBe(2);
    expect(asked() - before).toBe(1);

    isWell = true;
    const resumed = await flow.onboard(['resume', summary.run]);
    expect([resumed.exitCode, asked()]).toEqual([5, 200]);
  });

  test('but one that is compressed is read', async () => {
    const { flow, args } = await startLoad({
      rows: 30,
      answer: (outgoing, n) =>
        void outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`{"id":"s-${n}"}`)),
    });
    expect((await flow.run(args)).exitCode).toBe(0);
  });
});
