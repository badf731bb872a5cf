import type { Plugin } from 'vitest/config';

export function linesOf(path: string): readonly { path: string; line: number; text: string }[];
export function luaScripts(): Plugin;
