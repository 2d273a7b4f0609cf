import { quarantineReasons } from '../tally/quarantine.ts';
import type { DeliveryRecord, EffectRecord, EntryRecord } from './records.ts';

/** Why a delivery came to what it did, in a sentence for whoever is asked "I voted and got nothing". */
export function explainDelivery(
  delivery: DeliveryRecord,
  known: { readonly entry?: EntryRecord | null; readonly original?: number | null } = {},
): string {
  const { outcome, reason, userId } = delivery;
  switch (outcome) {
    case 'duplicate':
      return known.original
        ? `The same event was recorded before, with delivery ${known.original}, so this repeat paid nothing.`
        : 'The same event was recorded before, so this repeat paid nothing.';
    case 'test':
      return 'It is a test from the dashboard: it is announced as one, and pays and counts nothing.';
    case 'quarantined':
      if (reason === quarantineReasons.aheadOfTime)
        return 'It is genuine, but its time lies ahead of our clock. It is kept whole, and replayed by itself once that time is reached.';
      return `It is genuine, but was not understood: ${stated(reason)} It is kept whole; replay it after an upgrade or a change of the settings.`;
    case 'recorded':
      return whyOfEntry(known.entry ?? null, userId);
  }
}

function whyOfEntry(entry: EntryRecord | null, userId: string | null): string {
  if (entry === null) return 'It ends what was bought: nothing is paid, and nothing is taken back.';
  switch (entry.cause) {
    case 'within_cooldown':
      return 'Another vote of this member stands within the cooldown, and two so close cannot both be real: it paid nothing and does not count.';
    case 'denied':
      return `The service denied the credits and says: ${stated(entry.reason)} The vote counts, and paid ${paid(entry.credits)}.`;
    case 'revoked':
      return 'Its order was revoked before, and after a revocation nothing of that order pays.';
    default:
      return `It was recorded once, and paid ${paid(entry.credits)} to ${userId ?? 'nobody'}.`;
  }
}

/** What holds an effect up, or what became of it. */
export function explainEffect({ state, attempts, reason }: EffectRecord): string {
  if (state === 'done') return `It was done at attempt ${attempts}.`;
  if (state === 'buried') {
    return `It was buried after attempt ${attempts}: ${stated(reason)} Mend the cause, then replay it.`;
  }
  if (attempts === 0) return 'It waits for its first attempt.';
  return reason === null
    ? `Attempt ${attempts} is under way.`
    : `Attempt ${attempts} failed and it waits: ${stated(reason)}`;
}

/** Somebody else's words as the end of a sentence. */
export function stated(reason: string | null): string {
  const words = reason ?? 'no reason is known';
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

export function paid(credits: number): string {
  return `${credits.toLocaleString('en')} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`;
}
