import type { Trace, TracedDelivery, Traces } from '../../commands/traces.ts';
import type { OwnerContext } from '../owner/context.ts';
import { formatCredits } from '../owner/explain.ts';
import { getDelivery } from '../owner/get-delivery.ts';
import type { DeliveryRecord, EntryRecord } from '../owner/records.ts';

/** Deliveries in a trace: as many as fit into a reply with their steps. */
const maxDeliveries = 5;
/** The newest entries that are searched for ones without a delivery, and how many of them are shown. */
const searchedEntries = 50;
const maxEntries = 5;
const maxRoles = 10;

/** Traces from the owner's records. */
export function createTraces(context: Pick<OwnerContext, 'records' | 'eventKeysOf'>): Traces {
  const { records } = context;
  return {
    async trace(userId): Promise<Trace> {
      const [deliveries, entries, grants] = await Promise.all([
        records.deliveries({ userId, limit: maxDeliveries, before: null }),
        records.entries(userId, searchedEntries),
        records.grants(userId),
      ]);
      return {
        deliveries: await Promise.all(deliveries.map(traceDelivery)),
        entries: entries
          .filter(({ deliveryId }) => deliveryId === null)
          .slice(0, maxEntries)
          .map((entry) => ({ at: entry.at, text: describeEntry(entry) })),
        roles: grants.slice(0, maxRoles).map(({ role, until, state }) => ({ role, until, state })),
      };
    },
  };

  async function traceDelivery({ id, receivedAt }: DeliveryRecord): Promise<TracedDelivery> {
    const { delivery, effects, timeline, why } = await getDelivery(context, id);
    const isAnnounced = effects.some(({ kind }) => kind === 'announcement');
    const unannounced = isAnnounced ? [] : [{ at: receivedAt, text: explainSilence(delivery) }];
    return { id, receivedAt, why, steps: [...timeline.map(({ at, text }) => ({ at, text })), ...unannounced] };
  }
}

/** Why a delivery was not announced. */
function explainSilence({ outcome }: DeliveryRecord): string {
  return outcome === 'recorded' || outcome === 'test'
    ? 'Not announced: the listing had no channel for it, or its settings announce no such event on its own.'
    : 'Not announced: only recorded deliveries and tests are.';
}

function describeEntry({ cause, credits, reason }: EntryRecord): string {
  return `${cause}: ${formatCredits(credits)}${reason === null ? '' : ` (${reason})`}`;
}
