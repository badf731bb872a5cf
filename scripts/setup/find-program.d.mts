export function findProgram(...names: readonly string[]): string | null;
