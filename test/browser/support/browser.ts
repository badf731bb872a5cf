import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { atTestEnd } from '../../support/at-test-end.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Opened = {
  /** A page in a context of its own. What it asks of other hosts, reports against the policy or throws fails the test. */
  open(at: string, options?: BrowserContextOptions): Promise<Page>;
};

/** One browser for the file's tests. `expected`: console messages that a test brings about itself. */
export function useBrowser(expected = /^$/): Opened {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  });
  afterAll(() => browser?.close());
  return {
    async open(at, options = {}) {
      if (browser === undefined) throw new Error('the browser has not started');
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const problems: string[] = [];
      const { host } = new URL(at);
      page.on('request', (request) => {
        if (new URL(request.url()).host !== host) problems.push(`asked ${request.url()}`);
      });
      page.on('console', (message) => {
        if (message.type() === 'error' && !expected.test(message.text())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      atTestEnd(async () => {
        await context.close();
        expect(problems).toEqual([]);
      });
      await page.goto(at);
      return page;
    },
  };
}

const violationsSchema = z.array(
  z.object({ id: z.string(), impact: z.string(), nodes: z.array(z.string()) }),
);

/** What keeps people with a screen reader or a keyboard from using the page: WCAG 2.2, A and AA. */
export async function hindrances(page: Page): Promise<z.infer<typeof violationsSchema>> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`);
  return violationsSchema.parse(found);
}
