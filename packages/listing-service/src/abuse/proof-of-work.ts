import { createHmac, hash, randomBytes } from 'node:crypto';
import { minute } from '@tallyhook/platform/durations';
import { html } from '@tallyhook/platform/web/html';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import type { Database, Sql } from '../storage/database.ts';
import { storedSetting } from '../storage/settings.ts';
import { serviceTextsIn } from '../texts/texts.ts';
import type { ChallengeContext, VoteChallenge } from './vote-challenge.ts';

/**
 * 16 puzzles of 14 bits take 262,000 SHA-256 digests on average: about a second on a phone, which computes some 300,000
 * in a second, and a fifth of that on a desktop. Many small puzzles take nearly the same time for everybody, while a
 * single one of 18 bits would sometimes take five times as long; and they are a progress bar.
 */
export const puzzleCount = 16;
export const puzzleBits = 14;
/** How long a challenge can be solved: members read a page before they vote (ms). */
const lifetimeMs = 15 * minute;

const scriptPath = '/assets/proof-of-work.js';
const solutionsPattern = /^[0-9a-f]{8}(?:,[0-9a-f]{8}){15}$/;

/**
 * A challenge without a third party: the browser computes for about a second. It makes many votes expensive for a
 * script; it does not stop somebody who computes with a graphics card. The token is bound to member, listing and time by
 * a signature and counts once, so nothing is stored before a vote.
 */
export async function openProofOfWork(database: Database): Promise<VoteChallenge> {
  const key = await storedSetting(database, 'challenge_key', () => randomBytes(32).toString('base64url'));

  function sign(id: string, expiresAt: number, { listing, member }: ChallengeContext): string {
    return createHmac('sha256', key).update(`${id} ${expiresAt} ${listing.id} ${member.userId}`).digest('base64url');
  }

  return {
    name: 'proof-of-work',
    contentSecurityPolicy: { 'script-src': ["'self'"], 'worker-src': ["'self'"] },
    assets: { [scriptPath]: new URL('./proof-of-work.browser.js', import.meta.url) },

    render(context) {
      const id = randomBytes(18).toString('base64url');
      const expiresAt = context.now + lifetimeMs;
      const { text } = serviceTextsIn(context.locale);
      return html`<div class="challenge stack" data-challenge="${id}" data-puzzles="${puzzleCount}" data-bits="${puzzleBits}" data-checking="${text('challenge.checking')}" data-failed="${text('challenge.failed')}">
  <input type="hidden" name="challenge" value="${id}.${expiresAt}.${sign(id, expiresAt, context)}">
  <input type="hidden" name="solutions" value="" autocomplete="off">
  <progress max="${puzzleCount}" value="0" aria-label="${text('challenge.progress')}" hidden></progress>
  <p class="quiet" role="status">${text('challenge.hint')}</p>
  <noscript><p class="notice bad">${text('challenge.noScript')}</p></noscript>
</div>
<script src="${scriptPath}" defer></script>`;
    },

    async verify(form, context) {
      const [id = '', expiry = '', signature = ''] = (form['challenge'] ?? '').split('.', 3);
      const expiresAt = Number(expiry);
      if (!equalSecrets(signature, sign(id, expiresAt, context)) || !(expiresAt > context.now)) return false;
      if (!isSolved(id, form['solutions'] ?? '')) return false;
      return markUsed(database, id, expiresAt);
    },
  };
}

/** @param solutions one number per puzzle: eight hex digits each, separated by commas */
export function isSolved(id: string, solutions: string): boolean {
  if (!solutionsPattern.test(solutions)) return false;
  return solutions.split(',').every((solution, puzzle) => {
    const digest = hash('sha256', `${id}.${puzzle.toString(16).padStart(2, '0')}.${solution}`, 'buffer');
    return digest.readUInt32BE(0) >>> (32 - puzzleBits) === 0;
  });
}

/** False if it was used before, also by another process. */
async function markUsed(sql: Sql, id: string, expiresAt: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('used_challenges')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
