import type { Request, Response } from 'express';
import { type FlashMessages, findFlashMessage } from '../../platform/web/flash-messages.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { type PageContent, pageFrame } from '../../platform/web/page-frame.ts';
import type { OwnerSession } from './session.ts';

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
  { path: '', name: 'Overview' },
  { path: 'deliveries', name: 'Deliveries' },
  { path: 'effects', name: 'Effects' },
  { path: 'listings', name: 'Listings' },
  { path: 'users', name: 'Members' },
  { path: 'rewards', name: 'Rewards' },
  { path: 'announcements', name: 'Announcements' },
] as const;

/**
 * The relative URL of the console's overview from the page at `path`: `./`, `../` or `../../`. All links are relative,
 * so that the console works under any path of a proxy.
 */
export function relativeRoot(path: string): string {
  const depth = path.split('/').length - 2;
  return depth <= 0 ? './' : '../'.repeat(depth);
}

/** @param page `session` is null before the owner has signed in */
export function renderPage(
  request: Request,
  response: Response,
  page: PageContent & { readonly session: OwnerSession | null },
): void {
  const { title, session, body } = page;
  const root = relativeRoot(request.path);
  const section = request.path.split('/')[1] ?? '';
  const frame = {
    title,
    siteName: 'tallyhook',
    home: { href: root, text: 'tallyhook' },
    stylesheet: `${root}console.css`,
    icon: `${root}icon.svg`,
    navigation: session && navigation(section, root, session),
    message: findFlashMessage(consoleMessages, request.query['notice']),
    footer: 'All times are in UTC.',
  };
  response.type('html').send(pageFrame(frame, body).text);
}

function navigation(section: string, root: string, session: OwnerSession): Html {
  const link = ({ path, name }: (typeof sections)[number]) =>
    html`<li><a href="${root}${path}"${path === section && html` aria-current="page"`}>${name}</a></li>`;
  return html`<nav aria-label="Console"><ul>${sections.map(link)}</ul></nav>
  <form method="post" action="${root}sign-out">${formTokenField(session)}<button class="plain">Sign out</button></form>`;
}
