/**
 * What a script answers of a batch of which most items are as usual: place (1: the first item), answer, place, answer, …
 * `usual` stands for all others. One answer for each item, in their order.
 */
export function withExceptions<Answer>(
  answers: readonly string[],
  count: number,
  { usual, parse }: { readonly usual: Answer; readonly parse: (text: string) => Answer },
): Answer[] {
  const all = new Array<Answer>(count).fill(usual);
  for (let i = 0; i + 1 < answers.length; i += 2) all[Number(answers[i]) - 1] = parse(answers[i + 1] ?? '');
  return all;
}
