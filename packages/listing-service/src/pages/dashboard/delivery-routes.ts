import { type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import {
  type DeliverySelection,
  deliveryRecords,
  requeueDelivery,
  type WebhookDelivery,
} from '../../storage/deliveries/deliveries.ts';
import { type ServiceTexts, serviceNamesIn } from '../../texts/texts.ts';
import { readForm } from '../forms.ts';
import { type PageDependencies, pageNotFound } from '../page-routes.ts';
import { resultAt, sectionHead } from '../render-page.ts';
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

/** The page of the button, to which the owner returns. */
const resendForm = z.object({ from: z.enum(['log', 'edit']).catch('log') });

type Filter = Pick<DeliverySelection, 'state' | 'family'>;

export function addDeliveryRoutes(dashboard: Dashboard, { database, queued }: PageDependencies): void {
  dashboard.page(
    '/deliveries',
    ({ text }) => text('deliveries.title'),
    async (call) => {
      const { request, listing, texts } = call;
      const { before, ...filter } = deliveryLogQuery.parse(request.query);
      const selection = { ...filter, before, limit: deliveriesPerPage + 1 };
      const found = await deliveryRecords(database, listing.id, selection);
      const deliveries = found.slice(0, deliveriesPerPage);
      const path = `/dashboard/${listing.id}/deliveries`;
      return html`${filterForm(path, filter, texts)}
<section class="card" aria-labelledby="deliveries">${sectionHead('deliveries', texts.text('dashboard.tabs.deliveries'), call)}
${deliveryList(deliveries, call, 'log')}</section>
${pageLinks({ path, filter, hasNewer: before !== undefined }, found.length > deliveries.length ? deliveries.at(-1) : undefined, texts)}`;
    },
  );

  dashboard.form('/deliveries/:deliveryId/resend', 'send', async ({ request, listing, now }) => {
    const { deliveryId } = request.params;
    const isId = /^[0-9a-f-]{36}$/.test(deliveryId);
    if (!isId || !(await requeueDelivery(database, listing.id, deliveryId, now))) throw pageNotFound();
    queued();
    const { from } = readForm(resendForm, request.body);
    return (from === 'log' ? '/deliveries' : '') + resultAt('deliveries', 'resent');
  });
}

/** @param last of this page, if there are older ones */
function pageLinks(
  { path, filter, hasNewer }: { readonly path: string; readonly filter: Filter; readonly hasNewer: boolean },
  last: WebhookDelivery | undefined,
  { text }: ServiceTexts,
): Html | null {
  if (!hasNewer && last === undefined) return null;
  return html`<nav class="pages" aria-label="${text('frame.pages')}">
  ${hasNewer && html`<a class="button second" href="${pathOf(path, filter)}">${text('deliveries.newest')}</a>`}
  ${last !== undefined && html`<a class="button second" rel="next" href="${pathOf(path, filter, last)}">${text('deliveries.older')}</a>`}</nav>`;
}

function filterForm(path: string, filter: Filter, { text }: ServiceTexts): Html {
  const option = (value: string, name: string, current: string | undefined) =>
    html`<option value="${value}"${value === current && html` selected`}>${name}</option>`;
  const states = serviceNamesIn('deliveries.states').map((state) =>
    option(state, text(`deliveries.states.${state}`), filter.state),
  );
  const families = serviceNamesIn('deliveries.families').map((family) =>
    option(family, text(`deliveries.families.${family}`), filter.family),
  );
  return html`<form class="filters" action="${path}">
  <label>${text('deliveries.state')} <select name="state"><option value="">${text('deliveries.all')}</option>${states}</select></label>
  <label>${text('deliveries.webhook')} <select name="family"><option value="">${text('deliveries.all')}</option>${families}</select></label>
  <button class="second">${text('deliveries.filter')}</button></form>`;
}

function pathOf(path: string, { state, family }: Filter, before?: WebhookDelivery): string {
  const parameters = new URLSearchParams();
  if (state !== undefined) parameters.set('state', state);
  if (family !== undefined) parameters.set('family', family);
  if (before !== undefined) parameters.set('before', `${before.createdAt}_${before.id}`);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
