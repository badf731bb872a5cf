/** The same work for texts that come again soon: what it was for the last ones, `count` of them or up to twice as many, is remembered. */
export function recently<Result>(work: (text: string) => Result, count: number): (text: string) => Result {
  let recent = new Map<string, Result>();
  let earlier = new Map<string, Result>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const result = earlier.get(text) ?? work(text);
    recent.set(text, result);
    if (recent.size >= count) [earlier, recent] = [recent, new Map()];
    return result;
  };
}
