import { hour, minute } from '@tallyhook/platform/durations';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { issueSignInToken, redeemSignInToken, signInLinkTtlMs } from '../src/storage/members/sign-in-links.ts';

test.each([
  ['before it expires', signInLinkTtlMs - 1, true],
  ['after it expires', signInLinkTtlMs, false],
  ['after the clock was set back by a minute', -minute, true],
  ['after the clock was set back by an hour, which would extend it', -hour, false],
])('a sign-in link used %s', async (_, elapsedMs, isValid) => {
  const database = await openDatabase('sqlite::memory:');
  onTestFinished(() => database.destroy());
  const token = await issueSignInToken(database, { userId: '1', username: 'ann' }, 10 * hour);
  expect((await redeemSignInToken(database, token, 10 * hour + elapsedMs)) !== null).toBe(isValid);
  expect(await redeemSignInToken(database, token, 10 * hour)).toBeNull();
});
