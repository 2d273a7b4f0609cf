import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { initials } from '@tallyhook/platform/web/initials';
import { type FlashMessages, findFlashMessage, type PageContent, pageFrame } from '@tallyhook/platform/web/page-frame';
import type { Request, RequestHandler, Response } from 'express';
import { type AppTexts, ownTexts, type Texts } from '../../texts/texts.ts';
import type { OwnerSession, Visit } from './session.ts';

export const consoleMessages = ({ text }: Texts): FlashMessages => ({
  'signed-out': { tone: 'good', text: text('console.notices.signedOut') },
  corrected: { tone: 'good', text: text('console.notices.corrected') },
  repeated: { tone: 'good', text: text('console.notices.repeated') },
  release: { tone: 'good', text: text('console.notices.released') },
  reject: { tone: 'good', text: text('console.notices.rejected') },
  reversed: { tone: 'good', text: text('console.notices.reversed') },
  revived: { tone: 'good', text: text('console.notices.revived') },
  fulfilled: { tone: 'good', text: text('console.notices.fulfilled') },
  'replayed-recorded': { tone: 'good', text: text('console.notices.recorded') },
  'replayed-test': { tone: 'good', text: text('console.notices.test') },
  'replayed-duplicate': { tone: 'plain', text: text('console.notices.duplicate') },
  'replayed-ignored': { tone: 'good', text: text('console.notices.ignored') },
  'replayed-quarantined': { tone: 'bad', text: text('console.notices.quarantined') },
});

/** The navigation, and the pages that belong to each of its entries. */
const sections = [
  { name: 'overview', path: '', pages: [''] },
  { name: 'members', path: 'users', pages: ['users'] },
  { name: 'votes', path: 'deliveries', pages: ['deliveries', 'listings'] },
  { name: 'orders', path: 'orders', pages: ['orders'] },
  { name: 'settings', path: 'settings', pages: ['settings'] },
  { name: 'log', path: 'changes', pages: ['changes', 'effects'] },
] as const;

/** The relative URL of the overview from `path`, so that the console works under any path of a proxy. */
export function relativeRoot(path: string): string {
  const depth = path.split('/').length - 2;
  return depth <= 0 ? './' : '../'.repeat(depth);
}

/** The relative path to the root of the whole console, from a page of one server as well: `servers/:guildId/…`. */
export function consoleRoot({ path, params }: Pick<Request, 'path' | 'params'>): string {
  const root = relativeRoot(path);
  if (params['guildId'] === undefined) return root;
  return root === './' ? '../../' : `${root}../../`;
}

/** Who sees a page: a visit of the console, or a session alone before it is known what it may see. */
type Viewer = Pick<OwnerSession, 'formToken' | 'member'> & Partial<Visit>;

/** In the language of the browser. @param page `session` is null before the owner has signed in */
export function renderPage(
  request: Request,
  response: Response,
  page: PageContent & { readonly session: Viewer | null },
): void {
  const { title, session, body } = page;
  const texts = textsOf(request);
  const [root, base] = [relativeRoot(request.path), consoleRoot(request)];
  const section = request.path.split('/')[1] ?? '';
  const { text: shown } = html`${body}`;
  const hasTimes = /<time|datetime-local/.test(shown);
  const frame = {
    lang: texts.locale,
    skip: texts.text('console.skip'),
    title,
    siteName: 'tallyhook',
    home: { href: root, text: homeName(session, root) },
    stylesheet: `${base}console.css`,
    icon: `${base}icon.svg`,
    navigation: session && navigation(section, { root, base }, session, texts),
    message: findFlashMessage(consoleMessages(texts), request.query['notice']),
    footer: hasTimes ? texts.text('publicPage.times', { zone: texts.timeZone }) : null,
  };
  response.type('html').send(pageFrame(frame, body).text);
}

function homeName(session: Viewer | null, root: string): Html {
  const name = session?.guildName ?? null;
  return name === null ? html`tallyhook` : html`${initials(name, name, `${root}pictures/server`)}<bdi>${name}</bdi>`;
}

const languagesByRequest = new WeakMap<Request, AppTexts>();
const timeZones = new WeakMap<Request, string>();

/** Has pages say the texts of the app. */
export function speaking(languages: AppTexts): RequestHandler {
  return (request, _response, next) => {
    languagesByRequest.set(request, languages);
    next();
  };
}

/** Has the page of a request show times as they are in this time zone. */
export function showTimesOf(timeZone: string, request: Request): void {
  timeZones.set(request, timeZone);
}

/** The texts of a page, with the time zone of its times. */
export function textsOf(request: Request): Texts & { readonly timeZone: string } {
  const languages = languagesByRequest.get(request) ?? ownTexts;
  const texts = languages.for(...request.acceptsLanguages().slice(0, 10));
  return { ...texts, timeZone: timeZones.get(request) ?? 'UTC' };
}

function navigation(
  section: string,
  { root, base }: { root: string; base: string },
  session: Viewer,
  { text }: Texts,
): Html {
  const link = ({ path, pages, name }: (typeof sections)[number]) => {
    const isCurrent = pages.some((each) => each === section);
    const label = name === 'votes' ? text('setup.link.vote') : text(`console.${name}`);
    return html`<li><a href="${root}${path}"${isCurrent && html` aria-current="page"`}>${label}</a></li>`;
  };
  const hasServers = session.member !== null || (session.context?.guilds.ids().length ?? 0) > 0;
  const isChosen = session.context !== undefined || session.member === null;
  return html`${isChosen && html`<nav aria-label="tallyhook"><ul>${sections.map(link)}</ul></nav>`}
<div class="account">${hasServers && html`<a href="${base}servers/"${section === 'servers' && html` aria-current="page"`}>${text('console.servers')}</a>`}
<form method="post" action="${base}sign-out">${formTokenField(session)}<button class="plain">${text('console.signOut')}${session.visitor ? html` <bdi>${session.visitor.name}</bdi>` : null}</button></form></div>`;
}

/** The pages of an entry of the navigation, of which this one is shown. */
export function pageTabs(
  label: string,
  pages: readonly { readonly path: string; readonly title: string }[],
  { root, current }: { readonly root: string; readonly current: string },
): Html {
  return html`<nav aria-label="${label}"><ul class="tabs">${pages.map(
    ({ path, title }) =>
      html`<li><a href="${root}${path}"${path === current && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul></nav>`;
}
