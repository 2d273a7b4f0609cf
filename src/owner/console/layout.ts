import { type Fragment, type Html, html } from '../../web/html.ts';
import { type NoticeName, notices } from './notices.ts';
import type { OwnerSession } from './session.ts';

/** What surrounds every page. */
export interface Frame {
  readonly title: string;
  /** The way up to the console's front page, as it is written in this page's links: `./`, `../` or `../../`. */
  readonly up: string;
  /** The first step of the page's path, by which its place in the navigation is known. */
  readonly place: string;
  /** Null before the owner has signed in. */
  readonly session: OwnerSession | null;
  /** What the last act came to, told once at the top. */
  readonly notice: NoticeName | null;
}

const places = [
  { path: '', name: 'Overview' },
  { path: 'deliveries', name: 'Deliveries' },
  { path: 'effects', name: 'Effects' },
  { path: 'users', name: 'Members' },
] as const;

/** Every link is relative, so that the console works under whatever path a proxy puts it. */
export function layout({ title, up, place, session, notice }: Frame, body: Fragment): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · tallyhook</title>
<link rel="stylesheet" href="${up}console.css">
<link rel="icon" href="${up}icon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide">
  <a class="brand" href="${up}">tallyhook</a>
  ${session && navigation(place, up, session)}
</div></header>
<main class="wide" id="main">
${notice && html`<p class="notice ${notices[notice].tone}" role="status">${notices[notice].text}</p>`}
${body}
</main>
<footer class="wide">All times are UTC.</footer>
</body>
</html>
`;
}

function navigation(current: string, up: string, session: OwnerSession): Html {
  const link = ({ path, name }: (typeof places)[number]) =>
    html`<li><a href="${up}${path}"${path === current && html` aria-current="page"`}>${name}</a></li>`;
  return html`<nav aria-label="Console"><ul>${places.map(link)}</ul></nav>
  <form method="post" action="${up}sign-out">${formToken(session)}<button class="plain">Sign out</button></form>`;
}

/** The hidden field that every form of a session carries. */
export function formToken(session: OwnerSession): Html {
  return html`<input type="hidden" name="token" value="${session.formToken}">`;
}
