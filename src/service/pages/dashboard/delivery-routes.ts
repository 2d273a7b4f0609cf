import { z } from 'zod';
import { type Html, html } from '../../../platform/web/html.ts';
import {
  type DeliverySelection,
  deliveryRecords,
  requeueDelivery,
  type WebhookDelivery,
} from '../../storage/deliveries/deliveries.ts';
import { type PageDependencies, pageNotFound } from '../page-routes.ts';
import type { Dashboard } from './dashboard.ts';
import { deliveryList } from './delivery-list.ts';

const deliveriesPerPage = 25;
const states = ['waiting', 'delivered', 'failed'] as const;
const families = ['vote', 'premium'] as const;

/** The query of the log. Anything invalid is ignored. `before` is the time and the id of a delivery. */
export const deliveryLogQuery = z.object({
  state: z.enum(states).optional().catch(undefined),
  family: z.enum(families).optional().catch(undefined),
  before: z
    .string()
    .regex(/^\d{1,15}_[0-9a-f-]{36}$/)
    .transform((text) => {
      const [createdAt = '', id = ''] = text.split('_');
      return { createdAt: Number(createdAt), id };
    })
    .optional()
    .catch(undefined),
});

type Filter = Pick<DeliverySelection, 'state' | 'family'>;

/** The log of deliveries, and the form that sends one again. */
export function addDeliveryRoutes(dashboard: Dashboard, { database, queued }: PageDependencies): void {
  const titles = { title: 'Deliveries', heading: 'Webhook deliveries' };
  dashboard.page('/deliveries', titles, async ({ request, listing, visitor, now }) => {
    const { before, ...filter } = deliveryLogQuery.parse(request.query);
    const selection = { ...filter, before, limit: deliveriesPerPage + 1 };
    const found = await deliveryRecords(database, listing.id, selection);
    const deliveries = found.slice(0, deliveriesPerPage);
    const path = `/dashboard/${listing.id}/deliveries`;
    return html`${filterForm(path, filter)}
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
${deliveryList(deliveries, listing, visitor, now)}</section>
${pageLinks(path, filter, before !== undefined, found.length > deliveries.length ? deliveries.at(-1) : undefined)}`;
  });

  dashboard.form('/deliveries/:deliveryId/resend', 'send', async ({ request, listing, now }) => {
    const { deliveryId } = request.params;
    const isId = /^[0-9a-f-]{36}$/.test(deliveryId);
    if (!isId || !(await requeueDelivery(database, listing.id, deliveryId, now))) throw pageNotFound();
    queued();
    return '/deliveries?notice=resent';
  });
}

/** @param last of this page, if there are older ones */
function pageLinks(path: string, filter: Filter, hasNewer: boolean, last: WebhookDelivery | undefined): Html | null {
  if (!hasNewer && last === undefined) return null;
  return html`<nav class="pages" aria-label="Pages">
  ${hasNewer && html`<a class="button second" href="${pathOf(path, filter)}">Newest</a>`}
  ${last !== undefined && html`<a class="button second" rel="next" href="${pathOf(path, filter, last)}">Older</a>`}</nav>`;
}

function filterForm(path: string, filter: Filter): Html {
  const options = (names: readonly string[], current: string | undefined) =>
    names.map((name) => html`<option value="${name}"${name === current && html` selected`}>${name}</option>`);
  return html`<form class="filters" action="${path}">
  <label>State <select name="state"><option value="">all</option>${options(states, filter.state)}</select></label>
  <label>Webhook <select name="family"><option value="">all</option>${options(families, filter.family)}</select></label>
  <button class="second">Filter</button></form>`;
}

function pathOf(path: string, { state, family }: Filter, before?: WebhookDelivery): string {
  const parameters = new URLSearchParams();
  if (state !== undefined) parameters.set('state', state);
  if (family !== undefined) parameters.set('family', family);
  if (before !== undefined) parameters.set('before', `${before.createdAt}_${before.id}`);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
