import { type Job, jobsBefore } from '../config/job-definition.ts';

/** Jobs that wait for themselves, straight or in a circle, each circle once: none of them would ever begin. */
export function orderProblems(jobs: readonly Job[]): string[] {
  const before = new Map(jobs.map(({ name, definition }) => [name, jobsBefore(definition)]));
  const done = new Set<string>();
  const problems: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) problems.push(circleWords([...path.slice(start), name]));
    if (start >= 0 || done.has(name)) return;
    for (const next of before.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const { name } of jobs) visit(name, []);
  return problems;
}

function circleWords(circle: readonly string[]): string {
  const [first = ''] = circle;
  const words =
    circle.length === 2 ? `job ${first} waits for itself` : `jobs wait for each other: ${circle.join(' → ')}`;
  return `${words} (after): expected an order that begins somewhere; take one of these out`;
}
