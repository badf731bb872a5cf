import { expect, test } from 'vitest';
import { useOwnRedis } from '../../support/redis.ts';
import { doubtOf, endedRow } from '../../support/settled-row.ts';
import { look, openOwnPage, textOf, VIEWER } from './own-page.ts';

const own = useOwnRedis();

test('the overview leads to an upload where nothing was run, and counts what is open, in doubt and running', async () => {
  const { page, seed } = await openOwnPage(own());
  const begun = await look(page, '/');
  expect(textOf(begun.html)).toContain('0 open rows0 in doubt0 running');
  expect(begun.html).toContain('<a href="/upload"');
  expect((await look(page, '/', { visitor: VIEWER })).html).not.toContain('/upload');

  const ends = [endedRow(1, 'created'), endedRow(2, 'rejected'), endedRow(3, 'invalid'), doubtOf(4)];
  await seed({ rows: 4, settlements: ends });
  await seed({ rows: 2, settlements: [endedRow(1, 'created')], closed: false });
  const later = await openOwnPage(own());
  const { html } = await look(later.page, '/');
  expect(textOf(html)).toContain('3 open rows1 in doubt1 running');
  expect(html).not.toContain('<a href="/upload"');
  for (const title of ['Needs attention', 'Running', 'Scheduled']) expect(html).toContain(`>${title}</h2>`);
});
