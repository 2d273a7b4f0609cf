import type { Request, Response } from 'express';
import { type FlashMessages, findFlashMessage } from '../../platform/web/flash-messages.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { type PageContent, pageFrame } from '../../platform/web/page-frame.ts';
import { openApiPath } from '../api/openapi.ts';
import type { Visitor } from './session.ts';

const serviceMessages = {
  voted: { tone: 'good', text: 'Thank you, your vote was counted.' },
  cooldown: { tone: 'bad', text: 'You have already voted. Please wait until the cooldown is over.' },
  challenge: { tone: 'bad', text: 'The check before the vote did not succeed or has expired. Please vote again.' },
  reviewed: { tone: 'good', text: 'Your review was published.' },
  'review-deleted': { tone: 'good', text: 'Your review was deleted.' },
  reported: { tone: 'good', text: 'Thank you. The operator will look at your report.' },
  'reported-already': { tone: 'plain', text: 'You have reported this already. The operator will look at it.' },
  moderated: { tone: 'good', text: 'Done.' },
  'nothing-moderated': { tone: 'plain', text: 'Nothing was changed: it was already done, or does not exist any more.' },
  'signed-in': { tone: 'good', text: 'You are signed in.' },
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  'signed-out-everywhere': { tone: 'good', text: 'You are signed out in all browsers.' },
  saved: { tone: 'good', text: 'Saved.' },
  removed: { tone: 'good', text: 'The webhook was removed. No more events are sent to it.' },
  resumed: { tone: 'good', text: 'The webhook was resumed. Queued events are being sent.' },
  'test-delivered': { tone: 'good', text: 'The test was delivered. See the list of deliveries for details.' },
  'test-failed': { tone: 'bad', text: 'The test failed. See the list of deliveries for the reason.' },
  resent: { tone: 'good', text: 'The delivery was queued again.' },
  paused: { tone: 'good', text: 'The webhook is paused. New events are queued until you resume it.' },
  created: { tone: 'good', text: 'Your listing was added. Complete its page, and create an API key below.' },
  'taken-over': { tone: 'good', text: 'The listing is yours. Create an API key, and set its webhooks.' },
  'created-pending': { tone: 'good', text: 'Added. Others see it when the operator has approved it.' },
  deleted: { tone: 'good', text: 'The listing was deleted.' },
  'icon-saved': { tone: 'good', text: 'The icon was saved.' },
  'icon-removed': { tone: 'good', text: 'The icon was removed.' },
  replied: { tone: 'good', text: 'Your reply was published.' },
  'reply-deleted': { tone: 'good', text: 'Your reply was deleted.' },
  'data-deleted': { tone: 'good', text: 'Your data was deleted, and you are signed out.' },
  revoked: { tone: 'good', text: 'The key was revoked.' },
} as const satisfies FlashMessages;

/** @param page `visitor` is null without a session */
export function renderServicePage(
  request: Request,
  response: Response,
  page: PageContent & { readonly visitor: Visitor | null },
): void {
  const { title, visitor, body } = page;
  const frame = {
    title,
    siteName: 'Listing service',
    home: { href: '/', text: 'Listing service' },
    stylesheet: '/assets/service.css',
    icon: '/assets/icon.svg',
    navigation: html`<nav aria-label="Account">${visitor ? accountLinks(visitor) : html`<a href="/sign-in">Sign in</a>`}</nav>`,
    message: findFlashMessage(serviceMessages, request.query['notice']),
    footer: html`<a href="${openApiPath}">API description</a>`,
  };
  response.type('html').send(pageFrame(frame, body).text);
}

function accountLinks(visitor: Visitor): Html {
  return html`<a class="who" href="/your-data" title="Your data" dir="auto">${visitor.username}</a>
  ${visitor.isOperator && html`<a href="/moderation">Moderation</a>`}
  <a href="/dashboard">Dashboard</a>
  <form method="post" action="/sign-out">${formTokenField(visitor)}<button class="plain">Sign out</button></form>`;
}
