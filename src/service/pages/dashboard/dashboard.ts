import type { Request, Response, Router } from 'express';
import { isSnowflake } from '../../../platform/snowflake.ts';
import type { Fragment } from '../../../platform/web/html.ts';
import { deliveryRecords } from '../../storage/deliveries/attempts.ts';
import { findWebhook } from '../../storage/deliveries/webhooks.ts';
import { keysOfListing } from '../../storage/listings/keys.ts';
import { findListing, type StoredListing } from '../../storage/listings/listings.ts';
import { purchasesOf } from '../../storage/purchases.ts';
import type { PageDependencies } from '../dependencies.ts';
import { pageNotFound, renderServicePage, requireVisitor } from '../render-page.ts';
import type { Visitor } from '../session.ts';
import { dashboardPage, type NewSecret } from './dashboard-page.ts';
import { type DashboardTab, dashboardFrame } from './tabs.ts';

const maxDeliveries = 5;
const maxPurchases = 25;

/** A listing, and the visitor who owns it. */
export interface OwnedListing {
  readonly listing: StoredListing;
  readonly visitor: Visitor;
}

/** Access to one listing's dashboard, and its page. */
export interface Dashboard {
  /** Adds the page of a tab. @param titles `heading` is the title by default */
  page(
    router: Router,
    tab: DashboardTab,
    titles: { readonly title: string; readonly heading?: string },
    bodyOf: (owned: OwnedListing, request: Request) => Fragment | Promise<Fragment>,
  ): void;
  /** For pages. Null if the visitor was sent to sign in. @throws HttpError 404 */
  requireOwnerPage(request: Request<{ id: string }>, response: Response): Promise<OwnedListing | null>;
  /**
   * For forms.
   * @param action is counted, and rejected for banned members; without one, the form only takes something away
   * @throws HttpError 403, 404 or 429
   */
  requireOwnerForm(request: Request<{ id: string }>, action?: 'edit' | 'send'): Promise<OwnedListing>;
  /** @param newSecret is shown in the response to the form, since a redirect would put it into a URL */
  render(request: Request, response: Response, owned: OwnedListing, newSecret: NewSecret | null): Promise<void>;
}

export function openDashboard(dependencies: PageDependencies): Dashboard {
  const { sending, sessions, admission } = dependencies;
  const { database, clock } = sending;

  async function requireOwner(id: string, visitor: Visitor): Promise<OwnedListing> {
    const listing = isSnowflake(id) ? await findListing(database, id) : null;
    // The same for others as for an unknown listing: it may be one that nobody else may know of.
    if (listing?.ownerId !== visitor.userId || listing.state === 'deleting') throw pageNotFound();
    return { listing, visitor };
  }

  async function requireOwnerPage(request: Request<{ id: string }>, response: Response): Promise<OwnedListing | null> {
    const visitor = await sessions.visitor(request, clock.now());
    if (visitor) return requireOwner(request.params.id, visitor);
    response.redirect(303, `/sign-in?next=${encodeURIComponent(request.path)}`);
    return null;
  }

  return {
    page(router, tab, { title, heading = title }, bodyOf) {
      router.get(`/dashboard/:id${tab}`, async (request: Request<{ id: string }>, response) => {
        const owned = await requireOwnerPage(request, response);
        if (owned === null) return;
        const { listing, visitor } = owned;
        const body = dashboardFrame(listing, tab, heading, await bodyOf(owned, request));
        renderServicePage(request, response, { title, visitor, body });
      });
    },
    requireOwnerPage,
    async requireOwnerForm(request, action) {
      const owned = await requireOwner(request.params.id, await requireVisitor(dependencies, request));
      if (action !== undefined) await admission.admit(request, action, owned.visitor.userId);
      return owned;
    },
    async render(request, response, { listing, visitor }, newSecret) {
      const view = {
        listing,
        visitor,
        keys: await keysOfListing(database, listing.id),
        webhooks: {
          vote: await findWebhook(database, listing.id, 'vote'),
          premium: await findWebhook(database, listing.id, 'premium'),
        },
        deliveries: await deliveryRecords(database, listing.id, { limit: maxDeliveries }),
        purchases: await purchasesOf(database, listing.id, maxPurchases),
        now: clock.now(),
      };
      renderServicePage(request, response, {
        title: `Edit ${listing.name}`,
        visitor,
        body: dashboardPage(view, newSecret),
      });
    },
  };
}
