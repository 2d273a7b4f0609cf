import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { type FlashMessage, flashMessage, type PageContent, pageFrame } from '@tallyhook/platform/web/page-frame';
import type { Request, Response } from 'express';
import { openApiPath } from '../api/openapi.ts';
import { legalPages, type ServiceFace } from '../face/face.ts';
import { isServiceTextIn, languages, type ServiceTextIn, type ServiceTexts } from '../texts/texts.ts';
import { languageParameter, textsOf } from './language.ts';
import type { Visitor } from './session.ts';

export const logoPath = '/assets/logo';

/** The tones of notices; those of a success are left out. */
const tones: Partial<Readonly<Record<ServiceTextIn<'notices'>, FlashMessage['tone']>>> = {
  cooldown: 'bad',
  challenge: 'bad',
  'test-failed': 'bad',
  'reported-already': 'plain',
  'nothing-moderated': 'plain',
};

/** A page of the service without what surrounds it. */
export interface ServicePageContent extends PageContent {
  /** The texts in the query that the page has read, which stay in its other languages. */
  readonly query?: Readonly<Record<string, string>>;
}

/** @param page `visitor` is null without a session */
export function renderServicePage(
  request: Request,
  response: Response,
  page: ServicePageContent & { readonly visitor: Visitor | null; readonly face: ServiceFace },
): void {
  const { title, visitor, body, head = null, query = {}, face } = page;
  const texts = textsOf(request);
  const siteName = face.name ?? texts.text('siteName');
  const frame = {
    lang: texts.locale,
    skip: texts.text('frame.skip'),
    title,
    head,
    siteName,
    home: {
      href: '/',
      text: html`${face.logo !== undefined && html`<img class="logo" src="${logoPath}" alt=""> `}${siteName}`,
    },
    stylesheet: '/assets/service.css',
    icon: face.logo === undefined ? '/assets/icon.svg' : logoPath,
    navigation: html`<nav aria-label="${texts.text('frame.account')}">${visitor ? accountLinks(visitor, texts) : html`<a href="/sign-in">${texts.text('frame.signIn')}</a>`}</nav>`,
    message: request.query[sectionParameter] === undefined ? findNotice(request, texts) : null,
    footer: footer(request, face, { texts, query }),
  };
  response.type('html').send(pageFrame(frame, body).text);
}

/** The result of a form, which a redirect names; null without one. */
function findNotice(request: Request, texts: ServiceTexts): FlashMessage | null {
  const { notice } = request.query;
  if (typeof notice !== 'string' || !isServiceTextIn('notices', notice)) return null;
  const tone = new Map<unknown, FlashMessage['tone']>(Object.entries(tones)).get(notice) ?? 'good';
  return { tone, text: texts.text(`notices.${notice}`) };
}

/** The query parameter with the section of the page to which the result belongs. */
const sectionParameter = 'at';

/** The result of a form gets the focus, because the address names it. */
export const resultId = 'result';

/** The end of an address that opens a page at the result of a form, which a section shows below its heading. */
export function resultAt(section: string, notice: ServiceTextIn<'notices'>): string {
  return `?notice=${notice}&${sectionParameter}=${section}#${resultId}`;
}

/** The address of a page to which a sign-in leads, with that result. @param next a path, perhaps with the section of the page */
export function signedInAt(next: string): string {
  const [path = '/', section] = next.split('#');
  return path + (section === undefined ? '?notice=signed-in' : resultAt(section, 'signed-in'));
}

/** The result of a form, if it belongs to this section of the page. */
export function noticeAt(section: string, request: Request, texts: ServiceTexts): Html | null {
  if (request.query[sectionParameter] !== section) return null;
  const notice = findNotice(request, texts);
  return notice && html`<div id="${resultId}" tabindex="-1">${flashMessage(notice)}</div>`;
}

/** The heading of a section, with the result of its form below. */
export function sectionHead(
  id: string,
  title: string,
  { request, texts }: { request: Request; texts: ServiceTexts },
): Html {
  return html`<h2 id="${id}">${title}</h2>${noticeAt(id, request, texts)}`;
}

function accountLinks(visitor: Visitor, { text }: ServiceTexts): Html {
  return html`<a class="who" href="/your-data" title="${text('frame.yourData')}" dir="auto">${visitor.username}</a>
  ${visitor.isOperator && html`<a href="/moderation">${text('frame.moderation')}</a>`}
  <a href="/dashboard">${text('frame.dashboard')}</a>
  <form method="post" action="/sign-out">${formTokenField(visitor)}<button class="plain">${text('frame.signOut')}</button></form>`;
}

interface Footer {
  readonly texts: ServiceTexts;
  readonly query: NonNullable<ServicePageContent['query']>;
}

function footer(request: Request, face: ServiceFace, { texts, query }: Footer): Html {
  const links = [
    ...legalPages(face).map((name) => html`<a href="/${name}">${texts.text(`frame.${name}`)}</a>`),
    ...(face.footerLinks ?? []).map(({ text, url }) => html`<a href="${url}" rel="noreferrer" dir="auto">${text}</a>`),
    html`<a href="${openApiPath}">${texts.text('frame.api')}</a>`,
  ];
  return html`<nav aria-label="${texts.text('frame.about')}">${links}</nav>${languageChoice(request, { texts, query })}`;
}

/** Links to the same page in every language, each named in itself. */
function languageChoice(request: Request, { texts, query }: Footer): Html {
  const links = languages.map((locale) => {
    const name = new Intl.DisplayNames(locale, { type: 'language' }).of(locale.split('-', 1)[0] ?? locale);
    return html`<li><a href="${pathIn(request, query, locale)}" lang="${locale}" hreflang="${locale}" rel="nofollow">${name ?? locale}</a></li>`;
  });
  return html`<details class="languages"><summary>${texts.text('frame.language')}</summary><ul>${links}</ul></details>`;
}

/** How many codes stay in the query of a page. */
const maxCodes = 8;
/** A parameter with a name or a number, such as an order, a range or a page. */
const code = /^[\w-]{1,40}$/;

/**
 * The page of the request, without the result of a form; what answers a form cannot be opened, so the home page. A
 * stranger can send any query, and each of these links repeats it: of texts, only those that the page has read stay.
 */
function pathIn({ method, originalUrl }: Request, texts: Footer['query'], locale: string): string {
  const isPage = method === 'GET';
  const sent = [...new URLSearchParams(isPage ? originalUrl.split('?', 2)[1] : '')];
  const codes = sent.filter((parameter) => parameter.every((part) => code.test(part))).slice(0, maxCodes);
  const query = new URLSearchParams(Object.fromEntries([...(isPage ? Object.entries(texts) : []), ...codes]));
  query.delete('notice');
  query.delete(sectionParameter);
  query.set(languageParameter, locale);
  return `${isPage ? '' : '/'}?${query.toString()}`;
}
