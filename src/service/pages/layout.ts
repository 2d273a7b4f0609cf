import { type Fragment, type Html, html } from '../../web/html.ts';
import { openApiPath } from '../api/openapi.ts';
import { type NoticeName, notices } from './notices.ts';
import type { Visitor } from './session.ts';

/** What surrounds every page. */
export interface Frame {
  readonly title: string;
  readonly visitor: Visitor | null;
  /** What the last action came to, told once at the top. */
  readonly notice: NoticeName | null;
}

export function layout({ title, visitor, notice }: Frame, body: Fragment): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Listing service</title>
<link rel="stylesheet" href="/assets/service.css">
</head>
<body>
<header class="top"><div class="wide">
  <a class="brand" href="/">Listing service</a>
  <nav aria-label="Account">${visitor ? signedIn(visitor) : html`<a href="/sign-in">Sign in</a>`}</nav>
</div></header>
<main class="wide">
${notice && html`<p class="notice ${notices[notice].tone}" role="status">${notices[notice].text}</p>`}
${body}
</main>
<footer class="wide"><a href="${openApiPath}">API description</a></footer>
</body>
</html>
`;
}

/** The hidden field that every form of a session carries. */
export function formToken(visitor: Visitor): Html {
  return html`<input type="hidden" name="token" value="${visitor.formToken}">`;
}

function signedIn(visitor: Visitor): Html {
  return html`<span class="who">${visitor.username}</span>
  <a href="/dashboard">Dashboard</a>
  <form method="post" action="/sign-out">${formToken(visitor)}<button class="plain">Sign out</button></form>`;
}
