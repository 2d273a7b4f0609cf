import { accountIdOf, type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { type DeliveryRecord, hasBody, type Records } from '../../core/records/records.ts';
import { refusalOf } from '../../webhook/rejections.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { getDelivery, type RecordsContext, waitOf } from './delivery-details.ts';

/** Deliveries in a trace: as many as fit into a reply. */
const maxDeliveries = 15;
/** The newest entries that are searched for ones without a delivery, and how many of them are shown. */
const searchedEntries = 50;
const maxEntries = 5;
const maxRoles = 10;

export interface TracedCommunity {
  readonly communityId: CommunityId;
  /** The guild and its listings; null if there is no other community. */
  readonly only: { readonly guildId: string | null; readonly listings: readonly string[] } | null;
}

export type Traces = ReturnType<typeof createTraces>;
export type Trace = Awaited<ReturnType<Traces['trace']>>;
export type TracedDelivery = Trace['deliveries'][number];

/** Traces in one community, from the owner's records. Nothing of another community is in them. */
export function createTraces(context: RecordsContext, { communityId, only }: TracedCommunity) {
  const { records } = context;
  const listings = only === null ? null : only.listings;
  return {
    /** The newest records of a member. Reasons are external text, or English. Rejects with the errors of the store. */
    async trace(userId: string) {
      const [deliveries, entries, grants] = await Promise.all([
        listings?.length === 0 ? [] : records.deliveries({ userId, listings, limit: maxDeliveries, before: null }),
        records.entries(accountIdOf(communityId, userId), searchedEntries),
        records.grants(userId),
      ]);
      return {
        deliveries: await Promise.all(deliveries.map(traceDelivery)),
        /** Credits that no delivery caused, such as claims and corrections; newest first. */
        entries: entries.filter(({ deliveryId }) => deliveryId === null).slice(0, maxEntries),
        roles: grants
          .filter(({ guildId }) => only === null || guildId === only.guildId)
          .slice(0, maxRoles)
          .map(({ role, until, state }) => ({ role, until, state })),
      };
    },
  };

  async function traceDelivery({ id, receivedAt, listing }: DeliveryRecord) {
    const { delivery, effects, entry } = await getDelivery(context, id);
    const { outcome, reason } = delivery;
    const refusal = refusalOf(delivery);
    return {
      id,
      receivedAt,
      listing,
      reason,
      refusal,
      isPayable: refusal !== null && hasBody(delivery),
      entry,
      outcome: waitOf(delivery) ?? outcome,
      effects,
    };
  }
}

export function createServices({
  store: { records },
}: ServicesContext & { readonly store: { readonly records: Records } }) {
  return {
    commandsIn({ communities, isManaged, isOnly }) {
      if (!isManaged) return { traces: null };
      const { id: communityId = noCommunity, guildId = null } = communities[0] ?? {};
      const listings = communities.flatMap((community) => community.listings.map(({ name }) => name));
      const only = isOnly ? null : { guildId, listings };
      return { traces: createTraces({ records }, { communityId, only }) };
    },
  } satisfies FeatureServices;
}
