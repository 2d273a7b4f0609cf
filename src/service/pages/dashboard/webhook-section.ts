import { formatCount } from '../../../platform/durations.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { dateTime, timeAgo } from '../../../platform/web/time-element.ts';
import type { Listing } from '../../listing/listing.ts';
import type { Webhook } from '../../storage/deliveries/webhooks.ts';
import type { WebhookFamily } from '../../storage/tables.ts';
import type { Visitor } from '../session.ts';

const titles = { vote: 'Vote Webhooks', premium: 'Premium Webhooks' } as const;

/** One family of webhooks in the dashboard (document, section 6: "a URL field … with a Test Webhook action"). */
export function webhookSection(
  family: WebhookFamily,
  webhook: Webhook | null,
  listing: Listing,
  visitor: Visitor,
  now: number,
): Html {
  const path = `/dashboard/${listing.id}/webhooks/${family}`;
  const token = formTokenField(visitor);
  return html`<section class="card" aria-labelledby="${family}-webhooks" data-family="${family}">
<h2 id="${family}-webhooks">${titles[family]}</h2>
${webhook && health(webhook, path, token, now)}
<form class="stack" method="post" action="${path}#${family}-webhooks">${token}
  <label>URL <input type="url" name="url" required maxlength="500" placeholder="https://" value="${webhook?.url ?? ''}"></label>
  <label>Secret <input type="password" name="secret" autocomplete="off" maxlength="200" placeholder="${webhook ? `unchanged, ends in ${webhook.secret.slice(-4)}` : 'leave empty to generate one'}"></label>
  <button>Save</button>
</form>
${webhook && actions(webhook, path, token)}
</section>`;
}

function health(webhook: Webhook, path: string, token: Html, now: number): Html {
  const { paused } = webhook;
  return html`${
    paused &&
    html`<div class="notice ${paused.by === 'owner' ? 'plain' : 'bad'}"><p>Paused ${timeAgo(paused.at, now)}. ${paused.reason} New events are queued and sent when you resume.</p>
  <form method="post" action="${path}/resume">${token}<button>Resume</button></form></div>`
  }
${!paused && webhook.failures > 0 && html`<p class="bad">${formatCount(webhook.failures, 'consecutive failed attempt')}.</p>`}
${webhook.previous && webhook.previous.until > now && html`<p class="quiet">The previous secret is still used until ${dateTime(webhook.previous.until)} if the new one is rejected.</p>`}`;
}

function actions({ paused, family }: Webhook, path: string, token: Html): Html {
  return html`<div class="line">
  <form method="post" action="${path}/test">${token}<button class="second">Test Webhook</button></form>
  <form method="post" action="${path}/rotate#${family}-webhooks">${token}<button class="second">Rotate secret</button></form>
  ${paused === null && html`<form method="post" action="${path}/pause">${token}<button class="second">Pause</button></form>`}
  <form method="post" action="${path}/remove">${token}<button class="plain danger">Remove</button></form>
</div>
<p class="quiet">A test is a delivery like any other, with your id and your name, and <code>test: true</code>. A receiver that does not look at <code>test</code> pays you for it.</p>`;
}
