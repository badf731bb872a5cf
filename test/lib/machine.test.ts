import { expect, test } from 'vitest';
import { isEarlierBoot, isSameMachine, type Machine } from '../../src/lib/machine.ts';

const MACHINE: Machine = { host: 'box-0123abcd', boot: '0000000b', pidSpace: '4026531836' };

test.each([
  ['the machine before it was started again', { boot: '0000000a' }, {}, true],
  ['the same boot', {}, {}, false],
  ['another machine', { boot: '0000000a', host: 'box-0123abce' }, {}, false],
  [
    'a container of the same name, moved to another machine',
    { boot: '0000000a', pidSpace: '4026532201' },
    { pidSpace: '4026532207' },
    false,
  ],
  ['a container of an image with a machine id', { boot: '0000000a', pidSpace: '4026532201' }, {}, false],
  ['a host that has just its name', { boot: '0000000a', host: 'onboard-0' }, { host: 'onboard-0' }, false],
  ['a system that tells no boot', { boot: 'x' }, {}, false],
])('%s is an earlier boot of this machine: %#', (_, one, now, expected) => {
  expect(isEarlierBoot({ ...MACHINE, ...one }, { ...MACHINE, ...now })).toBe(expected);
});

test.each([
  ['itself', {}, {}, true],
  ['itself under another name', { host: 'box-2' }, {}, true],
  ['another boot', { boot: '0000000a' }, {}, false],
  ['a container on it', { pidSpace: '4026532201' }, {}, false],
  ['itself, where no boot is told', { boot: 'x' }, { boot: 'x' }, true],
  ['another name, where no boot is told', { boot: 'x', host: 'box-2' }, { boot: 'x' }, false],
  ['another name, where no namespace is told', { pidSpace: 'x', host: 'box-2' }, { pidSpace: 'x' }, false],
])('%s is the same machine: %#', (_, one, other, expected) => {
  expect(isSameMachine({ ...MACHINE, ...one }, { ...MACHINE, ...other })).toBe(expected);
});
