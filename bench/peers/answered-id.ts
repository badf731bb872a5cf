/** The id in an answer of the service; `null` where there is none. */
export function answeredId(text: string): string | null {
  const json: unknown = JSON.parse(text);
  const hasId = typeof json === 'object' && json !== null && 'id' in json;
  return hasId && typeof json.id === 'string' ? json.id : null;
}
