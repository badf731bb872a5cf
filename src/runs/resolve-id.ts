import { idProblem } from '../model/resolution.ts';

const PLACEHOLDER = /^<.*>$/u;

/** What keeps a text that somebody typed from being the service's identifier, to follow "expected an id"; `null` for one that is fine. */
export function typedIdProblem(id: string): string | null {
  const problem = idProblem(id.trim() === '' ? '' : id);
  if (problem !== null) return problem;
  if (/\s/u.test(id)) return " without white space: expected the service's identifier";
  if (PLACEHOLDER.test(id)) return `, got the placeholder "${id}": expected the service's identifier`;
  return null;
}
