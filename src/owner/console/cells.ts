import { isPseudonym } from '../../core/ledger/pseudonym.ts';
import type { EffectState } from '../../core/outbox/effect.ts';
import type { DeliveryRecord } from '../../core/records/records.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { EventKind } from '../../webhook/event.ts';
import type { Outcome } from '../../webhook/response.ts';
import type { NameBook } from '../names.ts';
import { visible } from './pretty-json.ts';

const tones: Readonly<Record<Outcome | EffectState, 'good' | 'plain' | 'bad' | 'busy'>> = {
  recorded: 'good',
  duplicate: 'plain',
  test: 'plain',
  quarantined: 'bad',
  ignored: 'plain',
  waiting: 'busy',
  done: 'good',
  buried: 'bad',
};

/** Outcomes in the words of somebody who asks what a vote has paid. */
export const outcomeNames: Readonly<Record<Outcome, string>> = {
  recorded: 'recorded',
  duplicate: 'sent again',
  test: 'test',
  quarantined: 'not understood',
  ignored: 'not a vote',
};

/** What a delivery has paid, in place of its outcome; that is the tooltip. */
export function outcomeBadge({ outcome, credits }: Pick<DeliveryRecord, 'outcome' | 'credits'>): Html {
  const text = outcome === 'recorded' ? (credits > 0 ? 'paid' : 'paid nothing') : outcomeNames[outcome];
  return html`<span class="mark ${tones[outcome]}" title="${outcome}">${text}</span>`;
}

/** The kinds of events, in words. */
export const kindNames: Readonly<Record<string, string>> = {
  server_vote: 'vote for the server',
  bot_vote: 'vote for the bot',
  premium_purchase: 'premium bought',
  'subscription.renewed': 'premium renewed',
  'subscription.expired': 'premium ended',
  'subscription.revoked': 'premium revoked',
} satisfies Record<EventKind, string>;

export function kindText(kind: string | null): Html {
  return kind !== null && Object.hasOwn(kindNames, kind)
    ? html`<span title="${kind}">${kindNames[kind] ?? kind}</span>`
    : untrustedText(kind);
}

/** An outcome or a state, as text on a color. */
export function statusBadge(status: Outcome | EffectState): Html {
  return html`<span class="mark ${tones[status]}">${status}</span>`;
}

/** Credits with their sign: +10, −5, 0. */
export function signedCredits(credits: number): Html {
  const digits = Math.abs(credits).toLocaleString('en');
  return html`<span class="credits">${credits > 0 ? `+${digits}` : credits < 0 ? `−${digits}` : '0'}</span>`;
}

/** Text from outside, with invisible characters escaped and its direction isolated. A dash for null and empty text. */
export function untrustedText(text: string | null): Html {
  return text === null || text === '' ? html`<span class="quiet">–</span>` : html`<bdi>${visible(text)}</bdi>`;
}

/**
 * By name, if it is known, with the id as a tooltip. A forgotten member has no page.
 * @param root the relative URL of the console's overview, as in all links
 */
export function memberLink(userId: string | null, root: string, names: Pick<NameBook, 'member'> | null = null): Html {
  if (userId === null) return untrustedText(null);
  return isPseudonym(userId)
    ? html`<span class="quiet" title="${userId}">forgotten member</span>`
    : html`<a href="${root}users/${encodeURIComponent(userId)}" title="${userId}"><bdi>${visible(names?.member(userId) ?? userId)}</bdi></a>`;
}

/** A name instead of what it stands for, which becomes the tooltip; that itself while the name is not known. */
export function named(id: string | null, name: string | null): Html {
  if (id === null || name === null) return untrustedText(id);
  return html`<bdi title="${id}">${visible(name)}</bdi>`;
}

export function deliveryLink(id: number | null, root: string): Html {
  return id === null ? untrustedText(null) : html`<a href="${root}deliveries/${id}">#${id}</a>`;
}
