import type { ListingConfig } from '../../config/schema.ts';
import { createLookupClients } from '../features/communities/lookup-clients.ts';
import { type Confirming, createConfirming } from '../features/confirmations/confirming.ts';
import { memoryKeyv } from '../lookup/open-keyv.ts';

type ConfirmingOptions = Parameters<typeof createConfirming>[0];

/**
 * Has the sites of a receiver's listings confirm votes. Loaded only if one is to, because a receiver needs no other
 * client.
 */
export function createReceiverConfirming(
  options: Omit<ConfirmingOptions, 'lookups' | 'newEffectsPollMs' | 'onAttempted'> & {
    readonly store: Parameters<typeof createLookupClients>[1]['store'];
    readonly listings: readonly ListingConfig[];
    readonly home: string | null;
    readonly siteApiUrl: string | null;
  },
): Confirming {
  const { listings, siteApiUrl } = options;
  const lookups = createLookupClients(
    { listings, siteApiUrl, lookup: { baseUrl: '' } },
    { ...options, cache: memoryKeyv() },
  );
  return createConfirming({ ...options, lookups, newEffectsPollMs: null, onAttempted() {} });
}
