import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PurchaseRecord } from './purchase.ts';
import type { PurchaseStore } from './store.ts';

/** The newest purchases, and how many wait for the owner. */
export function shopCard(shop: Pick<PurchaseStore, 'summary'>): ConsoleCard {
  return {
    id: 'orders',
    title: ({ console: words }) => words.orders,
    isScoped: true,
    async render({ memberLink, text, markup, scope, texts }) {
      const { newest, waiting } = await shop.summary(scope?.guildId ?? null);
      const { console: words, credits, locale, number, parts } = texts;
      const { labels } = words;
      if (newest.length === 0) return html`<p class="quiet">${words.noOrders}</p>`;
      return html`<dl class="sums"><div><dt>${words.ordersWaiting}</dt><dd>${number(waiting)}</dd></div></dl>
<table><thead><tr><th scope="col">${labels.time}</th><th scope="col">${labels.item}</th><th scope="col">${labels.member}</th><th scope="col" class="number">${credits.title}</th><th scope="col">${labels.state}</th></tr></thead>
<tbody>${newest.map(
        (
          purchase,
        ) => html`<tr><td data-name="${labels.time}">${dateTime(purchase.at, locale)}</td><td data-name="${labels.item}">${text(purchase.name)}</td>
<td data-name="${labels.member}" class="unbroken">${memberLink(purchase.userId)}</td><td data-name="${credits.title}" class="number unbroken">${markup(parts.credits(purchase.price))}</td>
<td data-name="${labels.state}">${stateBadge(purchase, texts)}</td></tr>`,
      )}</tbody></table>`;
    },
  };
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: PurchaseRecord, { messages }: Texts): Html {
  const { states, rolePending } = messages.shop.history;
  if (state === 'fulfilled') return html`<span class="mark good">${states.fulfilled}</span>`;
  if (state === 'refunded') return html`<span class="mark">${states.refunded}</span>`;
  return html`<span class="mark busy">${role === null ? states.confirmed : rolePending}</span>`;
}
