import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { escapeName, escapeText, lines, type Markup, mention } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { withPart } from './cells.ts';
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
  return html`<p dir="auto">${isExplained(reason) ? shown : withPart(texts.messages.trace.quarantined, shown)}</p>`;
}

function explain(delivery: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { outcome, reason } = delivery;
  const { why } = texts.console;
  if (outcome === 'duplicate' || outcome === 'test') return escapeText(why[outcome]);
  if (outcome === 'ignored') return escapeText(reason === quarantineReasons.rejected ? why.rejected : why.ignored);
  return explainEntry(delivery, entry, texts);
}

function explainEntry({ userId }: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { why } = texts.console;
  if (entry === null) return escapeText(why.ended);
  const { cause, credits, reason } = entry;
  switch (cause) {
    case 'within_cooldown':
      return escapeText(why.cooldown);
    case 'denied':
      return lines(explainReason(reason, texts), texts.text(why.paid, paidTo(userId, credits, texts)));
    case 'revoked':
      return explainReason('order_revoked', texts);
    default:
      return texts.text(why.paid, paidTo(userId, credits, texts));
  }
}

function paidTo(userId: string | null, credits: number, texts: Texts) {
  return {
    credits: texts.parts.credits(credits),
    user: userId === null ? texts.announcement.someone : mention(userId),
  };
}

function explainReason(reason: string | null, { announcement }: Texts): Markup {
  const known = reason !== null && Object.hasOwn(announcement.reasons, reason) ? announcement.reasons[reason] : null;
  return known ?? announcement.because(escapeName(reason ?? '?', maxLength));
}
