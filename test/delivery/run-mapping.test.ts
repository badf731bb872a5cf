import { expect, test } from 'vitest';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';
import { sampleDefinition } from './sample-task.ts';

test('a mapping is compiled once, however often its run is read from the ledger, and anew for other columns', () => {
  const definition = sampleDefinition('subclient.create');
  const { source } = sampleRun();
  const again = structuredClone({ definition, source });
  expect(mappingFor(again.definition, again.source)).toBe(mappingFor(definition, source));
  const other = { ...source, columns: ['externalId', 'details.name'] };
  expect(mappingFor(definition, other)).not.toBe(mappingFor(definition, source));
});
