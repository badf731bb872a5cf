import { expect, test } from 'vitest';
import { errorCode, hasCode, insteadOf, messageOf } from '../../src/lib/errors.ts';

const GONE = Object.assign(new Error('gone'), { code: 'ENOENT' });

test.each([
  [GONE, 'ENOENT', 'gone'],
  [new Error('no code'), '', 'no code'],
  ['thrown text', '', 'thrown text'],
  [{ code: 'ENOENT' }, '', '[object Object]'],
])('of %o the code is %j and the message %j', (error, code, message) => {
  expect([errorCode(error), messageOf(error)]).toEqual([code, message]);
  expect(hasCode(error, 'EACCES', 'ENOENT')).toBe(code !== '');
});

test('one code is answered by a value, and every other error is thrown again', async () => {
  expect(await Promise.reject(GONE).catch(insteadOf('ENOENT', null))).toBeNull();
  expect(await Promise.reject(GONE).catch(insteadOf(['EACCES', 'ENOENT'], 1))).toBe(1);
  await expect(Promise.reject(GONE).catch(insteadOf('EACCES', null))).rejects.toBe(GONE);
});
