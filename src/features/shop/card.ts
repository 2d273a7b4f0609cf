import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import type { Texts } from '../../texts/texts.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PurchaseRecord } from './purchase.ts';
import type { PurchaseStore } from './store.ts';

/** The newest purchases, and how many wait for the owner. */
export function shopCard(shop: Pick<PurchaseStore, 'summary'>): ConsoleCard {
  return {
    id: 'orders',
    title: ({ text }) => text('console.orders'),
    isScoped: true,
    async render({ memberLink, text: foreign, markup, scope, texts }) {
      const { newest, waiting } = await shop.summary(scope?.guildId ?? null);
      const { locale, number, text } = texts;

      if (newest.length === 0) return html`<p class="quiet">${text('console.noOrders')}</p>`;
      return html`<dl class="sums"><div><dt>${text('console.ordersWaiting')}</dt><dd>${number(waiting)}</dd></div></dl>
<table><thead><tr><th scope="col">${text('console.labels.time')}</th><th scope="col">${text('console.labels.item')}</th><th scope="col">${text('console.labels.member')}</th><th scope="col" class="number">${text('credits.title')}</th><th scope="col">${text('console.labels.state')}</th></tr></thead>
<tbody>${newest.map(
        (
          purchase,
        ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(purchase.at, locale)}</td><td data-name="${text('console.labels.item')}">${foreign(purchase.name)}</td>
<td data-name="${text('console.labels.member')}" class="unbroken">${memberLink(purchase.userId)}</td><td data-name="${text('credits.title')}" class="number unbroken">${markup(text('parts.credits', { count: purchase.price }))}</td>
<td data-name="${text('console.labels.state')}">${stateBadge(purchase, texts)}</td></tr>`,
      )}</tbody></table>`;
    },
  };
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: PurchaseRecord, { text }: Texts): Html {
  if (state === 'fulfilled') return html`<span class="mark good">${text('shop.history.states.fulfilled')}</span>`;
  if (state === 'refunded') return html`<span class="mark">${text('shop.history.states.refunded')}</span>`;
  return html`<span class="mark busy">${role === null ? text('shop.history.states.confirmed') : text('shop.history.rolePending')}</span>`;
}
