import type { Request, Response } from 'express';
import { findFlashMessage } from '../../platform/web/flash-messages.ts';
import { formTokenField, hasFormToken } from '../../platform/web/form-token.ts';
import { type Fragment, type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import { pageFrame } from '../../platform/web/page-frame.ts';
import { openApiPath } from '../api/openapi.ts';
import type { PageDependencies } from './dependencies.ts';
import { serviceMessages } from './flash-messages.ts';
import type { Visitor } from './session.ts';

/** @param page `visitor` is null without a session */
export function renderServicePage(
  request: Request,
  response: Response,
  page: { readonly title: string; readonly visitor: Visitor | null; readonly body: Fragment },
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

/** The signed-in sender of a form. @throws HttpError 403 without a session, or with a wrong CSRF token */
export async function requireVisitor({ sending, sessions }: PageDependencies, request: Request): Promise<Visitor> {
  const visitor = await sessions.visitor(request, sending.clock.now());
  if (visitor !== null && hasFormToken(request.body, visitor)) return visitor;
  throw new HttpError(403, 'Your session has ended. Please sign in and send the form again.');
}

export function pageNotFound(): HttpError {
  return new HttpError(404, 'This page does not exist.');
}
