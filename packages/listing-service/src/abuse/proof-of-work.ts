import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { TextEncoder as NodeTextEncoder } from 'node:util';
import { minute, second } from '@tallyhook/platform/durations';
import { languageOf, locales } from '@tallyhook/platform/texts/locale';
import { html } from '@tallyhook/platform/web/html';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import type { Database, Sql } from '../storage/database.ts';
import { storedSetting } from '../storage/settings.ts';
import { serviceTextsIn } from '../texts/texts.ts';
import type { VoteChallenge } from './vote-challenge.ts';

declare global {
  // What the types of altcha-lib name, and those of Node do not have as types.
  interface TextEncoder extends NodeTextEncoder {}
  interface Worker extends EventTarget {}
}

/**
 * The browser derives keys until it has the right one, in all its processors: 1,500 keys of 2,000 rounds on average, about
 * a second on a phone. The server derives one for each page.
 */
const cost = 2_000;
const keys = { min: 1_000, max: 2_000 };
/** How long a challenge can be solved: members read a page before they vote (ms). */
const lifetimeMs = 15 * minute;

const folder = '/assets/altcha';

/** The names that languages have in the package `altcha`, where it has a region. */
const withRegion: Readonly<Record<string, string>> = { es: 'es-es', fr: 'fr-fr' };

/** The files of the package `altcha` that pages use, by their path there and here. The build copies them. */
export const altchaFiles: Readonly<Record<string, string>> = {
  'external/altcha.min.js': 'widget.js',
  'external/altcha.css': 'widget.css',
  'workers/pbkdf2.js': 'worker.js',
  ...Object.fromEntries(
    [...new Set(locales.map(languageOf))]
      .filter((language) => language !== 'en')
      .map((language) => [`i18n/${withRegion[language] ?? language.toLowerCase()}.js`, `${language}.js`]),
  ),
};

/** In the build the files are beside this module; in the sources they are in the package, which does not export all. */
function locate(path: string, name: string): URL {
  const copied = new URL(`altcha/${name}`, import.meta.url);
  return existsSync(copied) ? copied : new URL(`../${path}`, import.meta.resolve('altcha'));
}

/** The solution that the widget sends, as JSON in Base64. */
const solvedChallenge = z.object({
  challenge: z.object({
    parameters: z.object({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      keySignature: z.string(),
      expiresAt: z.number(),
      data: z.object({ listing: z.string(), member: z.string() }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

/**
 * A challenge without a third party, of ALTCHA: the browser computes for about a second. It makes many votes expensive for
 * a script; it does not stop somebody who computes with a graphics card. A challenge is bound to member, listing and time
 * by a signature and counts once, so nothing is stored before a vote. Browsers solve it on pages with HTTPS, or of their
 * own machine.
 */
export async function openProofOfWork(database: Database): Promise<VoteChallenge> {
  const key = await storedSetting(database, 'challenge_key', () => randomBytes(32).toString('base64url'));
  const secrets = { hmacSignatureSecret: key, hmacKeySignatureSecret: `${key} of solutions` };

  return {
    name: 'proof-of-work',
    contentSecurityPolicy: { 'script-src': ["'self'"], 'worker-src': ["'self'"] },
    assets: {
      ...Object.fromEntries(
        Object.entries(altchaFiles).map(([path, name]) => [`${folder}/${name}`, locate(path, name)]),
      ),
      [`${folder}/start.js`]: new URL('./proof-of-work.browser.js', import.meta.url),
    },

    async render({ listing, member, now, locale }) {
      const challenge = await createChallenge({
        ...secrets,
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(keys.min, keys.max),
        deriveKey,
        expiresAt: Math.floor((now + lifetimeMs) / second),
        data: { listing: listing.id, member: member.userId },
      });
      const settings = {
        challenge,
        auto: 'onsubmit',
        hideFooter: true,
        humanInteractionSignature: false,
        name: 'solution',
      };
      const { text } = serviceTextsIn(locale);
      const language = languageOf(locale);
      const script = (name: string) => html`<script src="${folder}/${name}.js" type="module"></script>`;
      return html`<link rel="stylesheet" href="${folder}/widget.css">
<div class="challenge stack">
  <altcha-widget language="${language}" configuration="${JSON.stringify(settings)}"></altcha-widget>
  <p class="quiet">${text('challenge.hint')}</p>
  <noscript><p class="notice bad">${text('challenge.noScript')}</p></noscript>
</div>
${['widget', ...(language === 'en' ? [] : [language]), 'start'].map(script)}`;
    },

    async verify(form, { listing, member }) {
      const { success, data: solved } = solvedChallenge.safeParse(parseBase64(form['solution'] ?? ''));
      if (!success) return false;
      const { nonce, expiresAt, data } = solved.challenge.parameters;
      if (data.listing !== listing.id || data.member !== member.userId) return false;
      const { verified } = await verifySolution({ ...secrets, ...solved, deriveKey });
      return verified && markUsed(database, nonce, expiresAt * second);
    },
  };
}

/** Null for what is not JSON. */
function parseBase64(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}

/** False if it was used before, also by another process. @param expiresAt ms since the epoch */
async function markUsed(sql: Sql, id: string, expiresAt: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('used_challenges')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
