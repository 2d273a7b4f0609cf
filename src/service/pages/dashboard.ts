import type { Request, Response } from 'express';
import type { Listing } from '../listing/listing.ts';
import { deliveryRecords } from '../storage/attempts.ts';
import { keysOfListing } from '../storage/keys.ts';
import { findListing } from '../storage/listings.ts';
import { purchasesOf } from '../storage/purchases.ts';
import { findWebhook } from '../storage/webhooks.ts';
import { type Disclosure, dashboardPage } from './dashboard-page.ts';
import { type PageDependencies, postingVisitor, renderServicePage } from './dependencies.ts';
import { notFound, PageError } from './page-error.ts';
import type { Visitor } from './session.ts';

const shownDeliveries = 25;
const shownPurchases = 25;

/** A listing in the hands of its owner. */
export interface Owned {
  readonly listing: Listing;
  readonly visitor: Visitor;
}

/** What every route of one listing's dashboard starts and ends with. */
export interface Dashboard {
  /** @throws PageFault 404 or 403 */
  owned(id: string, visitor: Visitor): Promise<Owned>;
  /** The listing that an owner's form is for. @throws PageFault */
  posted(request: Request<{ id: string }>): Promise<Owned>;
  /** Shows the dashboard; where a secret was just made, with it, for a redirect would have to carry it. */
  show(request: Request, response: Response, owned: Owned, disclosed: Disclosure | null): Promise<void>;
}

export function openDashboard(rooms: PageDependencies): Dashboard {
  const { database, clock } = rooms.sending;

  async function owned(id: string, visitor: Visitor): Promise<Owned> {
    const listing = await findListing(database, id);
    if (listing === null) throw notFound();
    if (listing.ownerId !== visitor.userId) throw new PageError(403, 'Only the owner of a listing sees its dashboard.');
    return { listing, visitor };
  }

  return {
    owned,
    posted: async (request) => owned(request.params.id, await postingVisitor(rooms, request)),
    async show(request, response, { listing, visitor }, disclosed) {
      const view = {
        listing,
        visitor,
        keys: await keysOfListing(database, listing.id),
        webhooks: {
          vote: await findWebhook(database, listing.id, 'vote'),
          premium: await findWebhook(database, listing.id, 'premium'),
        },
        deliveries: await deliveryRecords(database, listing.id, shownDeliveries),
        purchases: await purchasesOf(database, listing.id, shownPurchases),
        now: clock.now(),
      };
      renderServicePage(request, response, {
        title: `Edit ${listing.name}`,
        visitor,
        body: dashboardPage(view, disclosed),
      });
    },
  };
}
