import { formatCount, pluralize } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PurchaseRecord } from './purchase.ts';
import type { PurchaseStore } from './store.ts';

/** The newest purchases, and how many wait for the owner. */
export function shopCard(shop: Pick<PurchaseStore, 'summary'>): ConsoleCard {
  return {
    id: 'orders',
    title: 'Shop orders',
    isScoped: true,
    async render({ memberLink, text, scope }) {
      const { newest, waiting } = await shop.summary(scope?.guildId ?? null);
      if (newest.length === 0) return html`<p class="quiet">Nobody has bought anything yet.</p>`;
      return html`<p>${waiting === 0 ? 'No purchases wait' : html`<strong>${formatCount(waiting, 'purchase')}</strong> ${pluralize(waiting, 'waits', 'wait')}`} for you to fulfil or refund.</p>
<table><thead><tr><th scope="col">Time</th><th scope="col">Item</th><th scope="col">Buyer</th><th scope="col" class="number">Price</th><th scope="col">State</th></tr></thead>
<tbody>${newest.map(
        (
          purchase,
        ) => html`<tr><td data-name="Time">${dateTime(purchase.at)}</td><td data-name="Item">${text(purchase.name)}</td>
<td data-name="Buyer" class="unbroken">${memberLink(purchase.userId)}</td><td data-name="Price" class="number unbroken">${formatCount(purchase.price, 'credit')}</td>
<td data-name="State">${stateBadge(purchase)}</td></tr>`,
      )}</tbody></table>`;
    },
  };
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: PurchaseRecord): Html {
  if (state === 'fulfilled') return html`<span class="mark good">fulfilled</span>`;
  if (state === 'refunded') return html`<span class="mark">refunded</span>`;
  return html`<span class="mark busy">${role === null ? 'waits for you' : 'waits for Discord'}</span>`;
}
