import type { BrowserContextOptions, Page } from 'playwright-core';
import { addPerson } from '../../../src/faces/web/people.ts';
import { SHIPPED_TIMES } from '../../../src/lib/times.ts';
import type { Flow } from '../../support/flow.ts';
import { freePort } from '../../support/free-port.ts';
import { type InboxFlow, startInboxFlow } from '../../support/inbox.ts';
import { originOfPage } from '../../support/page.ts';

const SHARED = 'a-token-that-several-know';

type Open = (at: string, options?: BrowserContextOptions) => Promise<Page>;

/** The built program with its page, over a service and a home of the test's own, and people before it. */
export type Site = InboxFlow & {
  readonly origin: string;
  /** An operator of that name, in a context of their own. */
  operator(name?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Somebody with a token of their own, who may look. */
  viewer(name?: string): Promise<Page>;
};

/** `before`: what stands before the service, to be sent to in its place. */
export async function startSite(
  open: Open,
  jobs: Readonly<Record<string, string>>,
  faults: readonly string[] = [],
  before: (flow: Flow) => Promise<Readonly<Record<string, string>>> = async () => ({}),
): Promise<Site> {
  const inbox = await startInboxFlow(jobs, { faults, times: { ...SHIPPED_TIMES, lookUpAfterMs: 0 } });
  const port = await freePort();
  const env = { ...(await before(inbox.flow)), ONBOARD_WEB_TOKEN: SHARED };
  inbox.start(['start', '--web', `127.0.0.1:${port}`], env);
  const origin = await originOfPage(port);
  const enter = async (name: string, token: string, options?: BrowserContextOptions) => {
    const page = await open(`${origin}/enter`, options);
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  };
  return {
    ...inbox,
    origin,
    operator: (name = 'ops-1', options = {}) => enter(name, SHARED, options),
    viewer: async (name = 'eyes-1') => enter(name, await addPerson(inbox.flow.home, name, 'viewer')),
  };
}

export type FileGiven = { readonly name: string; readonly text: string };

/** Chooses a file on the upload page; answers once its own page is there. */
export async function chooseFile(page: Page, { name, text }: FileGiven): Promise<void> {
  await page.getByRole('link', { name: 'Upload' }).first().click();
  const buffer = Buffer.from(text);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.waitForURL(/\/uploads\/[\w-]+$/);
}

/** From the upload's page, by the job, to the run's page. */
export async function checkAndStart(page: Page, job: string): Promise<string> {
  await page.getByRole('radio', { name: job }).check();
  await page.getByRole('button', { name: 'Check the file with it' }).click();
  await page.getByRole('button', { name: /^Start:/ }).waitFor();
  const asked = page.locator('input[name=host]');
  if ((await asked.count()) > 0) await asked.fill(await page.locator('label b').first().innerText());
  await page.getByRole('button', { name: /^Start:/ }).click();
  await page.waitForURL(/\/runs\/\d{8}-[\w-]+$/);
  return new URL(page.url()).pathname;
}

export async function load(page: Page, job: string, file: FileGiven): Promise<string> {
  await chooseFile(page, file);
  return checkAndStart(page, job);
}

/** What the run page says of its state, as it changes by itself. */
export function badge(page: Page, state: string) {
  return page.locator('[data-live] .badge', { hasText: state }).first();
}
