/**
 * A request's path with columns in it: `/v3/things/{Thing Id}/accounts`. A value fills its place
 * percent-encoded, so that it stays one part of the path; its owner decides what it may be.
 */

type PathTemplate = readonly ({ readonly text: string } | { readonly column: string })[];

/** Literal signs of a path (RFC 3986, 3.3), and percent-encoded ones. */
const OWN_TEXT = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
/** Servers and gateways drop such parts, or go up a folder; many decode the dots first. */
const LEFT_OUT = /\/(?:\.|%2e){0,2}(?=\/)|\/(?:\.|%2e){1,2}$/i;

/** As text: what is expected. */
export function parsePathTemplate(text: string): PathTemplate | string {
  if (!text.startsWith('/'))
    return 'a path below the base URL that begins with /, such as /v3/things/{Thing Id}';
  const parts = text.split(/(\{[^{}]*\})/).filter((part) => part !== '');
  const template = parts.map((part) =>
    part.startsWith('{') ? { column: part.slice(1, -1) } : { text: part },
  );
  if (template.some((part) => 'column' in part && part.column.trim() === ''))
    return "a column's name within { and }";
  if (template.some((part) => 'text' in part && !OWN_TEXT.test(part.text))) {
    return 'only signs that can stand in a path, and columns in { and }; parameters behind a ? belong under "query"';
  }
  return LEFT_OUT.test(text) ? 'no empty part, and no part of nothing but dots' : template;
}

export function columnsIn(template: PathTemplate): readonly string[] {
  return template.flatMap((part) => ('column' in part ? [part.column] : []));
}

export function fillPath(template: PathTemplate, valueFor: (column: string) => string): string {
  return template
    .map((part) => ('text' in part ? part.text : encodeURIComponent(valueFor(part.column))))
    .join('');
}
