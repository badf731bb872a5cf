export function renderRuns(reports: string, show: (path: string) => string): string;
