/** A table of what was tried on each platform or server. */
export function printTried(kind, parts, tried) {
  const lines = [
    [kind, ...parts],
    ['---', ...parts.map(() => '---')],
    ...tried.map(({ name, results }) => [
      name,
      ...results.map(({ isOk, seconds }) => `${isOk ? 'ok' : 'failed'}, ${seconds} s`),
    ]),
  ];
  process.stdout.write(`\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
}
