import type { Call } from '../model/operation.ts';

/** The call that a request line names; `id` is the path's last part decoded, empty where the path has none. */
export type MatchedCall = { readonly call: Call; readonly id: string };

const SUBCLIENTS = '/v1/subclients';
const DRAFTS = '/v3/counterparties/draft';
const ATTACHMENTS = '/v1/documents/payments/attachments/';

/** The operation of service-api.md, section 4, that method and target name, or `null`. The query is not looked at. */
export function matchCall(method: string, target: string): MatchedCall | null {
  const path = pathOf(target);
  switch (method) {
    case 'POST':
      if (path === SUBCLIENTS) return { call: 'subclient.create', id: '' };
      return path === DRAFTS ? { call: 'counterparty.draft', id: '' } : null;
    case 'PATCH':
      return withId('subclient.update', path, `${SUBCLIENTS}/`);
    case 'GET':
      return withId('payment.documents', path, ATTACHMENTS);
    default:
      return null;
  }
}

/** The target without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

function withId(call: Call, path: string, prefix: string): MatchedCall | null {
  if (!path.startsWith(prefix)) return null;
  const part = path.slice(prefix.length);
  if (part === '' || part.includes('/')) return null;
  try {
    return { call, id: decodeURIComponent(part) };
  } catch {
    return null;
  }
}
