/** All pages, from the parts that show them. The router and the test that asks each as nobody, viewer and operator go by this table. */
import type { Core } from './page.ts';
import type { Route } from './visit.ts';

/** What all of them need together. */
export type Page = Core;

export const ROUTES: readonly Route<Page>[] = [];
