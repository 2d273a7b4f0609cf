import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import { confirmationReasons } from '../../features/confirmations/feature.ts';
import { waitOf } from '../../features/traces/explain.ts';
import { escapeName, escapeText, lines, type Markup, mention } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';

/** Longer reasons are truncated (characters). */
const maxLength = 150;

/** What became of a delivery, for somebody who says "I voted and got nothing". @param entry null if there is none */
export function explainInWords(delivery: DeliveryRecord, entry: LedgerEntry | null, texts: Texts): Markup {
  const { outcome, reason } = delivery;
  const { why } = texts.console;
  switch (outcome) {
    case 'duplicate':
    case 'test':
      return escapeText(why[outcome]);
    case 'ignored':
      return escapeText(reason === quarantineReasons.rejected ? why.rejected : why.ignored);
    case 'quarantined':
      return explainHold(delivery, texts);
    case 'recorded':
      return explainEntry(delivery, entry, texts);
  }
}

function explainHold(delivery: DeliveryRecord, texts: Texts): Markup {
  const { why } = texts.console;
  const { reason } = delivery;
  switch (waitOf(delivery)) {
    case 'aheadOfTime':
      return texts.trace.aheadOfTime;
    case 'unconfirmed':
      return escapeText(why.unconfirmed);
    case null:
      if (reason === quarantineReasons.rateAlarm) return escapeText(why.rateAlarm);
      if (reason === confirmationReasons.refused || reason === confirmationReasons.unknown)
        return escapeText(why.refused);
      return texts.trace.quarantined(escapeName(reason ?? '?', maxLength));
  }
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

/** The reason of a delivery in a list: in the language of the page if it is one of ours, otherwise as it is stored. */
export function shortReason(reason: string | null, { announcement }: Texts): string | null {
  if (reason === null || !Object.hasOwn(announcement.reasons, reason)) return reason;
  return announcement.reasons[reason] ?? reason;
}
