import { parseIdentities } from '../../tally/listing-context.ts';
import type { QuarantinedDelivery } from '../../tally/write-event.ts';

/** The columns of {@link toQuarantined}. */
export const quarantineColumns = [
  ...['id', 'received_at as receivedAt', 'family', 'listing', 'kind', 'user_id as userId', 'body', 'origin'],
] as const satisfies readonly string[];

export function toQuarantined({
  origin,
  ...row
}: Omit<QuarantinedDelivery, 'origin' | 'outcome'> & { readonly origin: string | null }): QuarantinedDelivery {
  return { ...row, origin: parseIdentities(origin) ?? [], outcome: 'quarantined' };
}
