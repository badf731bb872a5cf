export type Correction = { readonly row: number; readonly column: string; readonly value: string };
export function correctRows(reports: string, job: string, corrections: readonly Correction[]): string | null;
