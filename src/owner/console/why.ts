import { escapeName, escapeText, lines, type Markup, mention } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { ownReason } from '../../core/announcements/own-reason.ts';
import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import type { Texts } from '../../texts/texts.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { fill } from './cells.ts';
import { isExplained, type ReasonView, reasonHtml } from './reason.ts';
import { markupHtml } from './settings/markup-html.ts';

/** Longer reasons are truncated (characters). */
const maxLength = 150;

/** What became of a delivery, for somebody who says "I voted and got nothing". @param entry null if there is none */
export function explainInWords(delivery: DeliveryRecord, entry: LedgerEntry | null, view: ReasonView): Html {
  const { texts, names } = view;
  const { outcome, reason } = delivery;
  if (outcome !== 'quarantined') return markupHtml(explain(delivery, entry, texts), names, texts.locale);
  const shown = reasonHtml(reason, view);
  return html`<p dir="auto">${isExplained(reason) ? shown : fill(texts, 'trace.quarantined', { reason: shown })}</p>`;
}

function explain(delivery: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { outcome, reason } = delivery;
  const { text } = texts;
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
