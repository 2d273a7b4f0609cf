import type { Request, Response } from 'express';
import { type FlashMessages, findFlashMessage } from '../../platform/web/flash-messages.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { type PageContent, pageFrame } from '../../platform/web/page-frame.ts';
import { type Texts, textsFor } from '../../texts/texts.ts';
import type { OwnerSession, Visit } from './session.ts';

export const consoleMessages = {
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  corrected: { tone: 'good', text: 'The account was corrected. The new entry is the first in the list.' },
  repeated: { tone: 'good', text: 'This correction was already made. Nothing was booked twice.' },
  release: { tone: 'good', text: 'The held votes are being paid.' },
  reject: { tone: 'good', text: 'The held votes are rejected.' },
  reversed: { tone: 'good', text: 'The votes were reversed. The log has the totals.' },
  revived: { tone: 'good', text: 'The effect is waiting again and will be attempted immediately.' },
  'replayed-recorded': { tone: 'good', text: 'The delivery was processed and recorded.' },
  'replayed-test': { tone: 'good', text: 'The delivery was processed: it is a test.' },
  'replayed-duplicate': {
    tone: 'plain',
    text: 'The event of this delivery is already recorded. Nothing was booked twice.',
  },
  'replayed-ignored': {
    tone: 'good',
    text: 'The delivery was processed: it is another event of the site, and pays nothing.',
  },
  'replayed-quarantined': { tone: 'bad', text: 'The delivery still cannot be processed. It stays in quarantine.' },
} as const satisfies FlashMessages;

const sections = [
  { path: '', name: 'overview' },
  { path: 'users', name: 'members' },
  { path: 'deliveries', name: 'deliveries' },
  { path: 'effects', name: 'actions' },
  { path: 'listings', name: 'listings' },
  { path: 'rewards', name: 'rewards' },
  { path: 'announcements', name: 'announcements' },
  { path: 'settings', name: 'settings' },
  { path: 'changes', name: 'changes' },
] as const;

/**
 * The relative URL of the console's overview from the page at `path`: `./`, `../` or `../../`. All links are relative,
 * so that the console works under any path of a proxy.
 */
export function relativeRoot(path: string): string {
  const depth = path.split('/').length - 2;
  return depth <= 0 ? './' : '../'.repeat(depth);
}

/** The same of the whole console, from a page of one server as well: `servers/:guildId/…`. */
export function consoleRoot({ path, params }: Pick<Request, 'path' | 'params'>): string {
  const root = relativeRoot(path);
  if (params['guildId'] === undefined) return root;
  return root === './' ? '../../' : `${root}../../`;
}

/** Who sees a page: a visit of the console, or a session alone before it is known what it may see. */
type Viewer = Pick<OwnerSession, 'formToken' | 'member'> & Partial<Visit>;

/** @param page `session` is null before the owner has signed in */
export function renderPage(
  request: Request,
  response: Response,
  page: PageContent & { readonly session: Viewer | null },
): void {
  const { title, session, body } = page;
  const [root, base] = [relativeRoot(request.path), consoleRoot(request)];
  const section = request.path.split('/')[1] ?? '';
  const frame = {
    lang: 'en',
    skip: 'Skip to content',
    title,
    siteName: 'tallyhook',
    home: { href: root, text: session?.guildName ?? 'tallyhook' },
    stylesheet: `${base}console.css`,
    icon: `${base}icon.svg`,
    navigation: session && navigation(section, { root, base }, session, textsOf(request)),
    message: findFlashMessage(consoleMessages, request.query['notice']),
    footer: 'All times are in UTC.',
  };
  response.type('html').send(pageFrame(frame, body).text);
}

/** In the language of the browser. */
export function textsOf(request: Request): Texts {
  return textsFor(...request.acceptsLanguages().slice(0, 10));
}

function navigation(
  section: string,
  { root, base }: { root: string; base: string },
  session: Viewer,
  { locale, console: texts }: Texts,
): Html {
  const link = ({ path, name }: (typeof sections)[number]) =>
    html`<li><a href="${root}${path}"${path === section && html` aria-current="page"`}>${texts[name]}</a></li>`;
  const servers = html`<li><a href="${base}servers/"${section === 'servers' && html` aria-current="page"`}>${texts.servers}</a></li>`;
  // Settings are those of one server.
  const shown = sections.filter(({ path }) => path !== 'settings' || (session.context?.scope ?? null) !== null);
  const hasServers = session.member !== null || (session.context?.guilds.ids().length ?? 0) > 0;
  return html`<nav aria-label="Console" lang="${locale}"><ul>${(session.context || session.member === null) && shown.map(link)}${hasServers && servers}</ul></nav>
  <form method="post" action="${base}sign-out">${formTokenField(session)}<button class="plain">${texts.signOut}${session.visitor ? html` <bdi>${session.visitor.name}</bdi>` : null}</button></form>`;
}
