import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { registerGauges } from '../../../src/faces/metrics/registry.ts';
import { textOf } from '../../house/source-files.ts';
import { sampleSources } from './sources.ts';

const SOURCES = sampleSources();
registerGauges(SOURCES);
const REGISTERED = SOURCES.registry.getMetricsAsArray();
const NAMES = new Set(REGISTERED.map(({ name }) => name));
const OURS = [...NAMES].filter((name) => name.startsWith('onboard_'));

const alertsSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string().startsWith('Onboard'),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const ALERTS = alertsSchema.parse(parse(textOf('docs/alerts.yaml'))).groups.flatMap(({ rules }) => rules);

const panelSchema = z.object({
  title: z.string(),
  targets: z.array(z.object({ expr: z.string() })).default([]),
});
const PANELS = z
  .object({ uid: z.null(), panels: z.array(panelSchema) })
  .parse(JSON.parse(textOf('docs/grafana.json'))).panels;
const QUERIES = PANELS.flatMap(({ targets }) => targets.map(({ expr }) => expr));

const LABELS = new Set([
  ...'operation status job outcome state version node channel result'.split(' '),
  ...['le', 'instance'],
]);

/** The metrics that an expression names, histograms without the ending of their lines. */
function metricsIn(expr: string): readonly string[] {
  const named = [...expr.matchAll(/\b(?:onboard|process|nodejs)_\w+/g)].map(([name]) => name);
  return named.map((name) => (NAMES.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')));
}

function labelsIn(expr: string): readonly string[] {
  const asked = [...expr.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...asked, ...grouped];
}

test.each([...ALERTS.map(({ expr }) => expr), ...QUERIES])('%s asks for what is registered', (expr) => {
  const metrics = metricsIn(expr);
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((name) => !NAMES.has(name))).toEqual([]);
  expect(labelsIn(expr).filter((label) => !LABELS.has(label))).toEqual([]);
});

test.each(ALERTS)('the runbook of $alert has its place', ({ alert, annotations }) => {
  expect(annotations.runbook_url).toBe(`operations.md#${alert.toLowerCase()}`);
  expect(textOf('docs/operations.md')).toContain(`\n### ${alert}\n`);
});

test('every metric stands in docs/metrics.md, and no other', () => {
  const described = new Set(textOf('docs/metrics.md').match(/\bonboard_\w+/g));
  expect([...described].toSorted()).toEqual(OURS.toSorted());
});

test('no metric has a label that a run, a row, a key or a file could be', async () => {
  const text = await SOURCES.registry.metrics();
  const labels = [...text.matchAll(/^onboard_\w+\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
  );
  expect(labels.filter((label) => !LABELS.has(label))).toEqual([]);
});
