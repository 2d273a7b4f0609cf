import { paginate, type ResultPage } from '@tallyhook/platform/web/pagination';
import type { z } from 'zod';
import type { DeliveryRecord } from '../core/records/records.ts';
import type { OwnerContext } from './context.ts';
import type { deliveriesQuery } from './request-schemas.ts';

/** A page of the delivery log. Of a site that no listing is on, it is empty. */
export async function listDeliveries(
  { records, sites }: Pick<OwnerContext, 'records' | 'sites'>,
  { user: userId, site, ...filter }: z.infer<typeof deliveriesQuery>,
): Promise<ResultPage<DeliveryRecord>> {
  const listings = site === null ? null : [...sites()].filter(([, { id }]) => id === site).map(([name]) => name);
  if (listings?.length === 0) return { rows: [], next: null };
  return paginate({ ...filter, userId, listings }, records.deliveries);
}

/** The names of the sites of listings, if there are several sites; otherwise null for every listing. */
export function siteNames({ sites }: Pick<OwnerContext, 'sites'>): (listing: string | null) => string | null {
  const byListing = sites();
  const isSeveral = new Set([...byListing.values()].map(({ name }) => name)).size > 1;
  return (listing) => (isSeveral && listing !== null ? (byListing.get(listing)?.name ?? null) : null);
}
