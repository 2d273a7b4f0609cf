import type { Request, Response } from 'express';
import { type FlashMessage, findFlashMessage } from '../../platform/web/flash-messages.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { type PageContent, pageFrame } from '../../platform/web/page-frame.ts';
import { openApiPath } from '../api/openapi.ts';
import { languages } from '../texts/catalogues.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { languageParameter, textsOf } from './language.ts';
import type { Visitor } from './session.ts';

/** Those of a success are not here. */
const tones: Partial<Readonly<Record<keyof ServiceTexts['notices'], FlashMessage['tone']>>> = {
  cooldown: 'bad',
  challenge: 'bad',
  'test-failed': 'bad',
  'reported-already': 'plain',
  'nothing-moderated': 'plain',
};

/** @param page `visitor` is null without a session */
export function renderServicePage(
  request: Request,
  response: Response,
  page: PageContent & { readonly visitor: Visitor | null },
): void {
  const { title, visitor, body, head = null } = page;
  const texts = textsOf(request);
  const frame = {
    lang: texts.locale,
    skip: texts.frame.skip,
    title,
    head,
    siteName: texts.siteName,
    home: { href: '/', text: texts.siteName },
    stylesheet: '/assets/service.css',
    icon: '/assets/icon.svg',
    navigation: html`<nav aria-label="${texts.frame.account}">${visitor ? accountLinks(visitor, texts) : html`<a href="/sign-in">${texts.frame.signIn}</a>`}</nav>`,
    message: findNotice(texts, request.query['notice']),
    footer: html`<a href="${openApiPath}">${texts.frame.api}</a>${languageChoice(request, texts)}`,
  };
  response.type('html').send(pageFrame(frame, body).text);
}

function findNotice({ notices }: ServiceTexts, name: unknown): FlashMessage | null {
  const messages = Object.entries(notices).map(([key, text]) => [key, { tone: toneOf(key), text }]);
  return findFlashMessage(Object.fromEntries(messages), name);
}

function toneOf(notice: string): FlashMessage['tone'] {
  return new Map(Object.entries(tones)).get(notice) ?? 'good';
}

function accountLinks(visitor: Visitor, { frame }: ServiceTexts): Html {
  return html`<a class="who" href="/your-data" title="${frame.yourData}" dir="auto">${visitor.username}</a>
  ${visitor.isOperator && html`<a href="/moderation">${frame.moderation}</a>`}
  <a href="/dashboard">${frame.dashboard}</a>
  <form method="post" action="/sign-out">${formTokenField(visitor)}<button class="plain">${frame.signOut}</button></form>`;
}

/** Links to the same page in every language, each named in itself. */
function languageChoice(request: Request, texts: ServiceTexts): Html {
  const links = languages.map((locale) => {
    const name = new Intl.DisplayNames(locale, { type: 'language' }).of(locale.split('-', 1)[0] ?? locale);
    return html`<li><a href="${pathIn(request, locale)}" lang="${locale}" hreflang="${locale}" rel="nofollow">${name ?? locale}</a></li>`;
  });
  return html`<details class="languages"><summary>${texts.frame.language}</summary><ul>${links}</ul></details>`;
}

/** The page of the request, without the result of a form; what answers a form cannot be opened, so the home page. */
function pathIn({ method, originalUrl }: Request, locale: string): string {
  const isPage = method === 'GET';
  const query = new URLSearchParams(isPage ? originalUrl.split('?', 2)[1] : '');
  query.delete('notice');
  query.set(languageParameter, locale);
  return `${isPage ? '' : '/'}?${query}`;
}
