import {
  channelMention,
  escapeName,
  escapeText,
  lines,
  type Markup,
  mention,
  trustedMarkup,
} from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { ownReason } from '../../core/announcements/announcement.ts';
import { directMessagesClosed } from '../../core/outbox/effect-kind.ts';
import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import { confirmationReasons } from '../../features/confirmations/feature.ts';
import { membershipReason } from '../../features/guards/feature.ts';
import { explainRoleFailure } from '../../features/roles/parts.ts';
import type { RoleFailureCause } from '../../features/roles/role-failure.ts';
import type { Texts } from '../../texts/texts.ts';
import { quarantineReasons, refusalOf, refusalReasons } from '../../webhook/rejections.ts';
import type { NameBook } from '../names.ts';
import { fill, untrustedText } from './cells.ts';
import { inlineMarkup, markupHtml } from './settings/markup-html.ts';

export interface ReasonView {
  readonly texts: Texts;
  readonly names: NameBook;
}

/** Why something failed or was not paid: in the language of the page what managers meet; all else is quoted. */
export function reasonHtml(reason: string | null, { texts, names }: ReasonView): Html {
  const known = reason === null ? null : (knownReason(reason, texts) ?? failureOf(reason, texts));
  if (known !== null) return inlineMarkup(known, names, texts);
  return reason === null ? untrustedText(null) : html`<q lang="en">${untrustedText(reason)}</q>`;
}

const { aheadOfTime, noListing, rateAlarm, rejected } = quarantineReasons;
const { waiting, refused, unknown, tooMany } = confirmationReasons;

function isExplained(reason: string | null): boolean {
  return [aheadOfTime, rateAlarm, waiting, refused, unknown, tooMany, membershipReason].some((each) => each === reason);
}

/** The reason of a delivery: that of one that is recorded is from the service. */
export function deliveryReason(
  { outcome, reason }: Pick<DeliveryRecord, 'outcome' | 'reason'>,
  view: ReasonView,
): Html {
  const isForeign = outcome === 'recorded' && reason !== null && knownReason(reason, view.texts) === null;
  return isForeign ? untrustedText(reason) : reasonHtml(reason, view);
}

function knownReason(reason: string, { text }: Texts): Markup | null {
  const own = ownReason(reason);
  if (own !== null) return text(own);
  const known: Readonly<Record<string, string>> = {
    ...{ [aheadOfTime]: text('trace.aheadOfTime'), [noListing]: text('setup.problems.unknownListing') },
    ...{ [rateAlarm]: text('console.why.rateAlarm'), [rejected]: text('console.why.rejected') },
    ...{
      [waiting]: text('console.why.unconfirmed'),
      [refused]: text('console.why.refused'),
      [unknown]: text('console.why.refused'),
      [tooMany]: text('console.why.refused'),
    },
    [membershipReason]: text('console.why.membership'),
    ...Object.fromEntries(refusalReasons.map((refusal) => [refusal, text(`console.why.${refusal}`)])),
    'unknown kind of event': text('console.unknownKind'),
    [directMessagesClosed]: text('console.directMessagesClosed'),
  };
  return Object.hasOwn(known, reason) ? escapeText(known[reason] ?? '') : null;
}

const sentences: readonly (readonly [RegExp, RoleFailureCause | ((texts: Texts, id: string) => Markup)])[] = [
  [/^The bot lacks the permission Manage Roles\./, 'missing_permission'],
  [/^Role (\d+) is not below the role of the bot\./, 'role_too_high'],
  [/^Nobody can give role (\d+):/, 'role_managed'],
  [/^Role (\d+) has permissions of a moderator,/, 'role_moderating'],
  [/^The server has no role (\d+)\./, 'role_deleted'],
  [/^Member \d+ is not in the server\./, 'member_left'],
  [/^Discord has no channel (\d+)\./, ({ text }, id) => text('console.noChannel', { channel: channelMention(id) })],
  [/^The bot cannot see channel (\d+)\./, (texts, id) => lacking(texts, id, ['View Channel'])],
  [/^The bot cannot write in channel (\d+)\./, (texts, id) => lacking(texts, id, ['Send Messages', 'Embed Links'])],
  [/^The bot is not in server \d/, ({ text }) => text('departure.title')],
  [/^There is no listing "/, ({ text }) => text('setup.problems.unknownListing')],
  [
    /^(?:Discord (?:answered|cannot be reached|rate limit)|\d+ from a proxy)/,
    ({ text }) => escapeText(text('console.discordFailed')),
  ],
];

function failureOf(reason: string, texts: Texts): Markup | null {
  for (const [pattern, explain] of sentences) {
    const [isFound, id = ''] = pattern.exec(reason) ?? [];
    if (isFound === undefined) continue;
    if (typeof explain === 'function') return explain(texts, id);
    return lines(...explainRoleFailure({ role: id, cause: explain, reason }, texts));
  }
  return null;
}

function lacking({ text, list }: Texts, channelId: string, permissions: readonly string[]): Markup {
  return lines(
    text('setup.problems.channel', {
      channel: channelMention(channelId),
      permissions: trustedMarkup(list(permissions)),
    }),
    text('setup.problems.channelHint'),
  );
}

const maxLength = 150;

/** An explanation of a delivery, for somebody who says "I voted and got nothing". @param entry null if there is none */
export function explainInWords(delivery: DeliveryRecord, entry: LedgerEntry | null, view: ReasonView): Html {
  const { texts, names } = view;
  const { outcome, reason } = delivery;
  if (outcome !== 'quarantined') return markupHtml(explain(delivery, entry, texts), names, texts);
  const shown = reasonHtml(reason, view);
  return html`<p dir="auto">${isExplained(reason) ? shown : fill(texts, 'trace.quarantined', { reason: shown })}</p>`;
}

function explain(delivery: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { outcome, reason } = delivery;
  const { text } = texts;
  const refusal = refusalOf(delivery);
  if (refusal !== null) return escapeText(text(`console.why.${refusal}`));
  if (outcome === 'duplicate' || outcome === 'test') return escapeText(text(`console.why.${outcome}`));
  if (outcome === 'ignored')
    return escapeText(
      reason === quarantineReasons.rejected ? text('console.why.rejected') : text('console.why.ignored'),
    );
  return explainEntry(delivery, entry, texts);
}

function explainEntry({ userId }: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { text } = texts;
  if (entry === null) return escapeText(text('console.why.ended'));
  const { cause, credits, reason } = entry;
  switch (cause) {
    case 'within_cooldown':
      return escapeText(text('console.why.cooldown'));
    case 'denied':
      return lines(explainReason(reason, texts), text('console.why.paid', paidTo(userId, credits, texts)));
    case 'revoked':
      return explainReason('order_revoked', texts);
    default:
      return text('console.why.paid', paidTo(userId, credits, texts));
  }
}

function paidTo(userId: string | null, credits: number, texts: Texts) {
  return {
    credits: texts.text('parts.credits', { count: credits }),
    user: userId === null ? texts.text('announcement.someone') : mention(userId),
  };
}

function explainReason(reason: string | null, { text }: Texts): Markup {
  const own = reason === null ? null : ownReason(reason);
  return own === null ? text('announcement.because', { reason: escapeName(reason ?? '?', maxLength) }) : text(own);
}
