import type { Traces } from '../../../commands/traces.ts';
import { homeAccounts } from '../../core/ledger/account-id.ts';
import { eventKeysOf } from '../../core/receiving/replay.ts';
import type { Records } from '../../core/records/records.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { createTraces } from './traces.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    /** Null where {@link FeatureContext.awards} is. */
    readonly traces: Traces | null;
  }
}

export function createServices({
  store: { records },
}: ServicesContext & { readonly store: { readonly records: Records } }) {
  return {
    commandsIn({ communities, isManaged, isOnly }) {
      if (!isManaged) return { traces: null };
      const { accounts = homeAccounts, guildId = null } = communities[0] ?? {};
      const listings = communities.flatMap((community) => community.listings.map(({ name }) => name));
      const only = isOnly ? null : { guildId, listings };
      return { traces: createTraces({ records, eventKeysOf }, { accounts, only }) };
    },
  } satisfies FeatureServices;
}
