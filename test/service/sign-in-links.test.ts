import { expect, onTestFinished, test } from 'vitest';
import { hour, minute } from '../../src/platform/durations.ts';
import { issueSignInToken, linkLifetime, redeemSignInToken } from '../../src/service/actions/sign-in.ts';
import { openDatabase } from '../../src/service/storage/database.ts';

test.each([
  ['before it is spent', linkLifetime - 1, true],
  ['after it is spent', linkLifetime, false],
  ['where the clock was adjusted a little', -minute, true],
  ['where the clock was set back, so that it would work for longer', -hour, false],
])('a sign-in link, used %s', async (_, later, works) => {
  const database = await openDatabase('sqlite::memory:');
  onTestFinished(() => database.destroy());
  const token = await issueSignInToken(database, { userId: '1', username: 'ann' }, 10 * hour);
  expect((await redeemSignInToken(database, token, 10 * hour + later)) !== null).toBe(works);
  expect(await redeemSignInToken(database, token, 10 * hour)).toBeNull();
});
