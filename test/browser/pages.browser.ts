import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ROUTES } from '../../src/faces/page/open.ts';
import { createJob, keysOf } from '../support/flow.ts';
import { hindrances, useBrowser } from './support/browser.ts';
import { badge, chooseFile, load, type Site, startSite } from './support/site.ts';

const { open } = useBrowser();
/** Where pictures of the pages are left, if anywhere. */
const SHOTS = process.env.SHOTS;
const EACH_MS = 300_000;

const LOOKS = [
  ['light', { colorScheme: 'light', viewport: { width: 1200, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1200, height: 900 } }],
  ['narrow', { viewport: { width: 320, height: 700 } }],
] as const;

/**
 * What is no page of ours: parts of one, downloads, and the report, which is held by tests of its
 * own. And the pause, which a run that is over has no more.
 */
const NO_PAGE = /\/template$|\/file$|\.csv$|\/files\/|\/report$|\/doubts\/:read$|\/pause$/;

/** Rows with each thing that can become of them. */
function rows(): string {
  const lines = keysOf(60).map((key, i) => {
    const kind = i % 12 === 5 ? 'Gone' : i % 20 === 9 ? 'Lost' : 'Fine';
    return `${kind} ${key},${kind} Company with a long name ${i + 1} Ltd,${i % 30 === 3 ? 'perhaps' : 'true'}`;
  });
  return ['externalId,details.name,regulators.isRegulated', ...lines, ''].join('\n');
}

/** The addresses of all pages, each with something on it. */
async function addresses(site: Site, page: Page): Promise<readonly string[]> {
  const run = await load(page, 'partner', { name: 'partner.csv', text: rows() });
  await badge(page, 'finished').waitFor();
  await page.getByText('Why rows did not succeed').waitFor();
  const note = (await page.getByRole('link', { name: 'Note' }).first().getAttribute('href')) ?? '';
  await chooseFile(page, { name: 'second.csv', text: rows().replaceAll(/^(\w+) K/gm, '$1 S') });
  const upload = new URL(page.url()).pathname;
  await page.getByRole('radio', { name: 'partner' }).check();
  await page.getByRole('button', { name: 'Check the file with it' }).click();
  await page.getByRole('button', { name: /^Start:/ }).waitFor();
  await lookAtChange(page, site.origin, '10');
  await page.getByLabel('Why').fill('they asked for it');
  await page.getByRole('button', { name: 'Save it' }).click();
  await page.getByRole('heading', { name: 'Its versions' }).waitFor();
  await lookAtChange(page, site.origin, '12');
  const draft = new URL(page.url()).pathname;
  const found = ROUTES.filter(({ method, path }) => method === 'GET' && !NO_PAGE.test(path)).map(({ path }) =>
    path
      .replace(/^\/uploads\/:id/, upload)
      .replace(/^\/runs\/:id/, run)
      .replace('/jobs/:name/drafts/:draft', draft)
      .replace(/:n$/, '1')
      .replace(':row', '10')
      .replace(':name', 'partner')
      .replace(/\/check$/, '/check?job=partner')
      .replace('/causes/:id/note', note),
  );
  expect(site.flow.sandbox.stats().duplicateKeys).toBe(0);
  return found;
}

/** To the page of what another number of requests at once would change. */
async function lookAtChange(page: Page, origin: string, atOnce: string): Promise<void> {
  await page.goto(`${origin}/jobs/partner/change`);
  await page.getByLabel('Requests at once').fill(atOnce);
  await page.getByRole('button', { name: 'See what it would change' }).first().click();
  await page.getByRole('button', { name: 'Save it' }).waitFor();
}

test('nothing keeps anybody from using any page, in the light, in the dark and on a narrow screen', {
  timeout: EACH_MS,
}, async () => {
  const site = await startSite(open, { partner: createJob() }, [
    '404=always;key=Gone',
    'reset-after-create=always;key=Lost',
  ]);
  const found = await addresses(site, await site.operator());
  const hindered: unknown[] = [];
  for (const [look, options] of LOOKS) {
    const page = await site.operator('ops-1', options);
    for (const path of found) {
      const answer = await page.goto(site.origin + path);
      expect(answer?.status(), path).toBe(200);
      if (SHOTS !== undefined) {
        const name = `${path.replace(/[^a-z]+/gi, '-')}-${look}.png`;
        await page.screenshot({ path: join(SHOTS, name), fullPage: true });
      }
      for (const one of await hindrances(page)) hindered.push([look, path, one]);
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (wide > 0) hindered.push([look, path, `${wide} px too wide`]);
    }
  }
  expect(hindered).toEqual([]);
});
