import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { ValuesOf } from '@tallyhook/platform/texts/messages';
import { type Html, html } from '@tallyhook/platform/web/html';
import { initials } from '@tallyhook/platform/web/initials';
import { isPseudonym } from '../../core/ledger/account.ts';
import type { EffectState } from '../../core/outbox/effect-kind.ts';
import type { DeliveryRecord } from '../../core/records/records.ts';
import type { TextKey, TextMessages, Texts } from '../../texts/texts.ts';
import type { KnownEventKind } from '../../webhook/event.ts';
import { refusalOf } from '../../webhook/rejections.ts';
import type { KnownOutcome } from '../../webhook/response.ts';
import { service } from '../../webhook/sites/index.ts';
import type { NameBook } from '../names.ts';

export const tones: Readonly<Record<KnownOutcome | EffectState, 'good' | 'plain' | 'bad' | 'busy'>> = {
  recorded: 'good',
  duplicate: 'plain',
  test: 'plain',
  quarantined: 'bad',
  ignored: 'plain',
  waiting: 'busy',
  done: 'good',
  buried: 'bad',
};

/** A badge that says whether a delivery has paid; its outcome is the tooltip. */
export function outcomeBadge(delivery: Pick<DeliveryRecord, 'outcome' | 'credits' | 'reason'>, texts: Texts): Html {
  const { outcome, credits } = delivery;
  const isUnpaid = (outcome === 'recorded' && credits === 0) || refusalOf(delivery) !== null;
  const text = isUnpaid
    ? texts.text('console.outcomes.unpaid')
    : outcome === 'recorded'
      ? texts.text('console.outcomes.paid')
      : texts.text(`console.outcomes.${outcome}`);
  return html`<span class="mark ${isUnpaid ? 'plain' : tones[outcome]}" title="${outcome}">${text}</span>`;
}

export function kindNames({ text }: Texts): Readonly<Record<KnownEventKind, string>> {
  return {
    server_vote: text('console.kinds.server_vote'),
    bot_vote: text('console.kinds.bot_vote'),
    premium_purchase: text('console.kinds.premium_purchase'),
    'subscription.renewed': text('console.kinds.renewed'),
    'subscription.expired': text('console.kinds.expired'),
    'subscription.revoked': text('console.kinds.revoked'),
  };
}

export function kindText(kind: string | null, texts: Texts): Html {
  const names: Readonly<Record<string, string>> = kindNames(texts);
  return kind !== null && Object.hasOwn(names, kind)
    ? html`<span title="${kind}">${names[kind] ?? kind}</span>`
    : untrustedText(kind);
}

/** Credits with their sign: +10, −5, 0. */
export function signedCredits(credits: number, texts: Texts): Html {
  return html`<span class="credits">${texts.signed(credits)}</span>`;
}

/** A text with parts of a page as its values. */
export function fill<Key extends TextKey>(
  { partsOf }: Pick<Texts, 'partsOf'>,
  key: Key,
  ...[values]: ValuesOf<TextMessages[Key], Html | string>
): Html {
  const parts = values as Readonly<Record<string, Html | string>> | undefined;
  return html`${partsOf(key).map((part, index) => (index % 2 === 0 ? part : (parts?.[part] ?? '')))}`;
}

/** Text from outside, with invisible characters escaped and its direction isolated. A dash for null and empty text. */
export function untrustedText(text: string | null): Html {
  return text === null || text === '' ? html`<span class="quiet">–</span>` : html`<bdi>${visible(text)}</bdi>`;
}

/** The path of a page to the console, its texts, and the names that it shows. */
export interface NamedPage {
  readonly root: string;
  readonly texts: Texts;
  readonly names: Pick<NameBook, 'member'> | null;
}

/**
 * The picture of a member, and the initials until it is there. It comes from the console, as everything on its pages, so nobody
 * elsewhere learns who looks at whom.
 */
export function avatar(userId: string, { names, root }: Pick<NamedPage, 'names' | 'root'>): Html {
  const picture = isPseudonym(userId) ? null : `${root}pictures/${encodeURIComponent(userId)}`;
  return initials(names?.member(userId) ?? null, userId, picture);
}

/** By name, if it is known, with the id as a tooltip. A forgotten member has no page. */
export function memberLink(userId: string | null, { root, texts, names }: NamedPage): Html {
  if (userId === null) return untrustedText(null);
  return isPseudonym(userId)
    ? html`<span class="quiet" title="${userId}">${texts.text('console.forgotten')}</span>`
    : html`<a href="${root}users/${encodeURIComponent(userId)}" title="${userId}"><bdi>${visible(names?.member(userId) ?? userId)}</bdi></a>`;
}

/** A name instead of what it stands for, which becomes the tooltip; that itself while the name is not known. */
export function named(id: string | null, name: string | null): Html {
  if (id === null || name === null) return untrustedText(id);
  return html`<bdi title="${id}">${visible(name)}</bdi>`;
}

/** The display name of a listing; the configured one while no better name is known. */
export function listingTitle(listing: string | null, names: NameBook): Html {
  return listing === null ? untrustedText(null) : html`<bdi>${visible(names.listing(listing) ?? listing)}</bdi>`;
}

export function deliveryLink(id: number | null, root: string): Html {
  return id === null ? untrustedText(null) : html`<a href="${root}deliveries/${id}">#${id}</a>`;
}

/** The name of a site, in the language of the page if it is no proper name. */
export function siteText(site: string, texts: Texts): string {
  return site === service.name ? texts.text('console.service') : site;
}

/** A listing by its name. @param site that of its site, if it is to be shown; it is not repeated after a name with it */
export function listingText(
  listing: string | null,
  site: string | null,
  { names, texts }: { readonly names: NameBook; readonly texts: Texts },
): Html {
  const isNamed = listing !== null && site !== null && (names.listing(listing) ?? '').endsWith(`(${site})`);
  return html`${listingTitle(listing, names)}${site && !isNamed && html` <span class="quiet">${siteText(site, texts)}</span>`}`;
}

export type DrawPart = (listing: string, draw: () => Html) => Html;

/** Pages show the listings of many owners: what one of them cannot be drawn with is logged, and missing only there. */
export function createDrawPart({ log, texts }: { readonly log: Log; readonly texts: Texts }): DrawPart {
  return (listing, draw) => {
    try {
      return draw();
    } catch (error) {
      log.error({ listing, reason: messageOf(error) }, 'a listing could not be drawn on a page of the console');
      return html`<section class="card"><h2><bdi>${listing}</bdi></h2><p class="notice bad">${texts.text('failure.title')}</p></section>`;
    }
  };
}

/** An unterminated string is one token: searching for its end at each of its quotes would take quadratic time. */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/gs;
/** Deeper than any payload. Deeper levels are not indented further, or a small body could produce a huge page. */
const maxIndentation = 20;

/** JSON with one line per member. `JSON.parse` would lose digits of large ids and duplicate members. */
export function prettyJson(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, maxIndentation))}`;
  return text.replace(tokens, (token) => {
    if (/^\s/.test(token)) return '';
    if (/^[{[]\s*[}\]]$/.test(token)) return token.replace(/\s/g, '');
    if (token === '{' || token === '[') {
      depth += 1;
      return token + line();
    }
    if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      return line() + token;
    }
    if (token === ',') return token + line();
    return token === ':' ? ': ' : token;
  });
}

/** Invisible characters and those that change the text direction, except line breaks. */
const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes invisible and direction-changing characters as in JSON: `\u202e`. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(invisible, (character) =>
      [...Array(character.length).keys()]
        .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}
