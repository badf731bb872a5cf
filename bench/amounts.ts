import type { Figure, Unit } from './figures.ts';

const WRITE: Readonly<Record<Unit, (value: number) => string>> = {
  '%': (value) => `${(value * 100).toFixed(1)} %`,
  '×': (value) => `${value.toFixed(2)} ×`,
  MB: (value) => `${value.toFixed(0)} MB`,
  s: (value) => `${value.toFixed(2)} s`,
};

/** A value as people read it, with its unit. */
export function amount(value: number, unit: Unit): string {
  return WRITE[unit](value);
}

/** What a figure has to be: `≥ 0.80 ×`. */
export function targetText({ bound, target, unit }: Pick<Figure, 'bound' | 'target' | 'unit'>): string {
  return `${bound === 'least' ? '≥' : '≤'} ${amount(target, unit)}`;
}
