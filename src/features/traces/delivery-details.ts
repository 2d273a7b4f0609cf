import { formatCount, minute } from '@tallyhook/platform/durations';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { directMessagesClosed } from '../../core/outbox/effect-kind.ts';
import {
  type DeliveryEffect,
  type DeliveryRecord,
  type EffectRecord,
  isPruned,
  type LedgerEntry,
  type Records,
} from '../../core/records/records.ts';
import { quarantineReasons, type Refusal, refusalOf } from '../../webhook/rejections.ts';
import { confirmationReasons } from '../confirmations/feature.ts';
import { membershipReason } from '../guards/feature.ts';

export type DeliveryDetails = Awaited<ReturnType<typeof getDelivery>>;

export interface RecordsContext {
  readonly records: Records;
}

/** @throws HttpError 404 */
export async function getDelivery(context: RecordsContext, id: number) {
  const delivery = await findDelivery(context, id);
  // Null if it is not a duplicate, or the original is unknown.
  const original = delivery.originalId;
  const [entry, effects] = await Promise.all([context.records.entryOf(delivery), context.records.effectsOf(id)]);
  const why = explainDelivery(delivery, { entry, original });
  return { delivery, original, entry, effects, why, timeline: timelineOf(delivery, { entry, original, effects }) };
}

/** @throws HttpError 404 */
export async function findDelivery({ records }: Pick<RecordsContext, 'records'>, id: number): Promise<DeliveryRecord> {
  const delivery = await records.delivery(id);
  if (delivery === null) throw new HttpError(404, `Delivery ${id} does not exist.`);
  return delivery;
}

function timelineOf(
  delivery: DeliveryRecord,
  {
    entry,
    original,
    effects,
  }: { entry: LedgerEntry | null; original: number | null; effects: readonly DeliveryEffect[] },
) {
  const { receivedAt: at, body, family, listing, outcome } = delivery;
  // Only a replay records an event with a later time than its delivery.
  const recordedAt = entry !== null && entry.at > at + 5 * minute ? entry.at : at;
  // The body of a duplicate is that of its original.
  const size =
    isPruned(delivery) || delivery.originalId !== null ? '' : ` of ${formatCount(Buffer.byteLength(body), 'byte')}`;
  return [
    {
      at,
      what: 'received',
      text: `Received and verified a ${family} delivery${size}${listing === null ? ' for an unknown listing' : ''}.`,
    },
    ...(recordedAt > at
      ? [{ at, what: 'held back', text: `Stored until its time: its ${quarantineReasons.aheadOfTime}.` }]
      : []),
    { at: recordedAt, what: outcome, text: explainOutcome(delivery, original) },
    ...(entry === null
      ? []
      : [
          {
            at: recordedAt,
            what: 'entry',
            text: `Entry ${entry.id}: ${entry.cause}, ${formatCredits(entry.credits)}.`,
          },
        ]),
    ...effects.map((effect) => ({
      at: effect.finishedAt ?? effect.createdAt,
      what: `effect ${effect.state}`,
      text: `${effect.kind} ${effect.id}: ${explainEffect(effect)}`,
    })),
  ];
}

function explainOutcome({ outcome, reason }: DeliveryRecord, original: number | null): string {
  switch (outcome) {
    case 'recorded':
      return 'Recorded in one transaction with its entry and its effects.';
    case 'duplicate':
      return original === null ? 'Duplicate of a recorded event.' : `Duplicate of delivery ${original}.`;
    case 'test':
      return 'Processed as a test from the dashboard.';
    case 'ignored': {
      const refusal = refusalOf({ outcome, reason });
      if (refusal !== null) return `Refused by the guards: ${refusal}.`;
      return 'Logged as an event that neither pays nor counts.';
    }
    case 'quarantined':
      return explainHold({ outcome, reason });
  }
}

function explainHold(delivery: Pick<DeliveryRecord, 'outcome' | 'reason'>): string {
  const reason = asSentence(delivery.reason);
  switch (waitOf(delivery)) {
    case 'aheadOfTime':
      return `Stored until its time, then replayed automatically: its ${reason}`;
    case 'unconfirmed':
      return `Stored until its site answers: ${reason}`;
    case 'unknownMember':
      return `Stored until Discord answers: ${reason}`;
    case null:
      return delivery.reason === quarantineReasons.rateAlarm
        ? `Held until the owner decides: ${reason}`
        : `Stored because it could not be processed: ${reason}`;
  }
}

/** Why a vote that its site was to confirm is left to the owner. */
const leftReasons = [confirmationReasons.refused, confirmationReasons.unknown, confirmationReasons.tooMany];

/** Why the guards have refused a vote. */
const refusals: Readonly<Record<Refusal, string>> = {
  blocked: 'This user is blocked by the guards, so the vote neither pays nor counts.',
  account_too_new:
    'The account of this user was too new for the guards when it voted, so the vote neither pays nor counts.',
  not_a_member: 'This user is not a member of the guild, so the vote neither pays nor counts.',
};
const payHint = 'Replay the delivery to pay it all the same.';

/** The reason for a delivery's outcome, in a sentence that answers "I voted and got nothing". */
export function explainDelivery(
  delivery: DeliveryRecord,
  { entry = null, original = null }: { readonly entry?: LedgerEntry | null; readonly original?: number | null } = {},
): string {
  const { outcome, reason, userId } = delivery;
  switch (outcome) {
    case 'duplicate':
      return original === null
        ? 'The same event was recorded before, so this duplicate paid nothing.'
        : `The same event was recorded before with delivery ${original}, so this duplicate paid nothing.`;
    case 'test':
      return 'This is a test from the dashboard. It is announced as a test, and neither pays nor counts.';
    case 'ignored': {
      const refusal = refusalOf(delivery);
      if (refusal !== null) return `${refusals[refusal]} ${payHint}`;
      if (reason === quarantineReasons.rejected)
        return 'Its listing had many more votes than usual, and the owner has rejected this one. It neither pays nor counts.';
      return 'This is another event of the listing site. It neither pays nor counts.';
    }
    case 'quarantined':
      return explainQuarantine(delivery);
    case 'recorded': {
      const explained = explainEntry(entry, userId);
      const isOld = reason?.endsWith(quarantineReasons.oldTimestamp) === true;
      return isOld ? `${explained} Its timestamp is years back, so the time of receipt counts.` : explained;
    }
  }
}

/** The cause of a quarantine that ends by itself: time, site or Discord; null for one that does not. */
export function waitOf({
  outcome,
  reason,
}: Pick<DeliveryRecord, 'outcome' | 'reason'>): 'aheadOfTime' | 'unconfirmed' | 'unknownMember' | null {
  if (outcome !== 'quarantined') return null;
  if (reason === membershipReason) return 'unknownMember';
  if (reason === quarantineReasons.aheadOfTime) return 'aheadOfTime';
  return reason === confirmationReasons.waiting ? 'unconfirmed' : null;
}

function explainQuarantine(delivery: DeliveryRecord): string {
  const { reason } = delivery;
  switch (waitOf(delivery)) {
    case 'aheadOfTime':
      return 'The delivery is genuine, but its timestamp is in the future. It is stored and will be replayed automatically at that time.';
    case 'unconfirmed':
      return 'The vote is stored, and paid as soon as its site confirms it. The site is asked for 24 hours.';
    case 'unknownMember':
      return 'The vote is stored, and paid as soon as Discord says that the voter is a member of the guild.';
    case null:
      if (reason === quarantineReasons.rateAlarm)
        return 'Its listing has many more votes than usual. It is stored, and paid when the owner releases the held votes.';
      if (leftReasons.some((each) => each === reason))
        return `The vote was not paid: ${asSentence(reason)} Replay the delivery to pay it all the same.`;
      return `The delivery is genuine, but could not be processed: ${asSentence(reason)} It is stored; replay it after an upgrade or a configuration change.`;
  }
}

function explainEntry(entry: LedgerEntry | null, userId: string | null): string {
  if (entry === null) return 'It ends a purchase: nothing is paid, and nothing is taken back.';
  switch (entry.cause) {
    case 'within_cooldown':
      return 'This member has another vote within the cooldown, so this vote paid nothing and does not count.';
    case 'denied':
      return `The service denied the credits: ${asSentence(entry.reason)} The vote counts, and paid ${formatCredits(entry.credits)}.`;
    case 'revoked':
      return 'The order was revoked before. After a revocation, no delivery of the order pays.';
    default:
      return `It was recorded once, and paid ${formatCredits(entry.credits)} to ${userId ?? 'no member'}.`;
  }
}

export function explainEffect({ state, attempts, reason }: EffectRecord): string {
  if (state === 'done') return `Done at attempt ${attempts}.`;
  if (state === 'buried') {
    return `Failed permanently at attempt ${attempts}: ${asSentence(reason)} Fix the cause, then replay it.`;
  }
  if (attempts === 0) return 'Waiting for the first attempt.';
  return reason === null
    ? `Attempt ${attempts} is in progress.`
    : `Attempt ${attempts} failed, waiting for a retry: ${asSentence(reason)}`;
}

const reasonTexts: Readonly<Record<string, string>> = {
  [directMessagesClosed]: 'The member does not accept direct messages from the bot, or shares no server with it.',
};

/** A reason from another source, with a full stop. */
export function asSentence(reason: string | null): string {
  const known = reason !== null && Object.hasOwn(reasonTexts, reason) ? reasonTexts[reason] : undefined;
  const text = known ?? reason ?? 'unknown reason';
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function formatCredits(credits: number): string {
  return formatCount(credits, 'credit');
}
