import { createHash } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { clientKeyOf, isTrustedProxy } from './client-key.ts';
import { ClientLimit } from './client-limit.ts';
import { Html, html } from './html.ts';
import { initials } from './initials.ts';
import { securityHeaders } from './security-headers.ts';

/** How often a client may open plain pages in a minute. */
export const maxPlainPages = 30;

/** The colours of the console. */
const style = `
:root { color-scheme: light dark; --ground: #f4f5fa; --card: #fff; --ink: #1c2033; --line: #dcdfea; --accent: #3f51b5;
  --accent-ink: #fff; --good: #176339; --good-ground: #e2f4e9; --bad: #a1261d; --bad-ground: #fceae7; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #12141c; --card: #1a1d28; --ink: #e7e9f2; --line: #2f3446; --accent: #9fabf5; --accent-ink: #141a3c;
    --good: #8ddba9; --good-ground: #143021; --bad: #ffa197; --bad-ground: #3b1b18; }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
  font: 16px / 1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { box-sizing: border-box; width: min(30rem, 100vw - 2rem); padding: 2rem; border: 1px solid var(--line);
  border-radius: .75rem; background: var(--card); text-align: center; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; }
ol { display: inline-block; margin: 0; padding-inline-start: 1.5rem; text-align: start; }
a { color: var(--accent); }
.server { display: flex; align-items: center; justify-content: center; gap: .6rem; margin: 0 0 1rem; font-weight: 600; }
.avatar { display: grid; place-items: center; position: relative; overflow: hidden; flex: none; width: 2.5rem; height: 2.5rem;
  border-radius: .75rem; background: #4752c4; color: #fff; }
.avatar img { position: absolute; inset: 0; width: 100%; height: 100%; }
.sign { display: grid; place-items: center; width: 4rem; height: 4rem; margin: 0 auto 1rem; border-radius: 50%;
  font-size: 2rem; }
.good { background: var(--good-ground); color: var(--good); }
.bad { background: var(--bad-ground); color: var(--bad); }
.button { display: inline-block; padding: .6rem 1.2rem; border-radius: .5rem; background: var(--accent);
  color: var(--accent-ink); font-weight: 600; text-decoration: none; }
.button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** For pages with pictures of their own, without forms or scripts, which name their address to nobody. */
const plainPageHeaders = securityHeaders({
  contentSecurityPolicy: {
    'default-src': ["'none'"],
    'style-src': [`'sha256-${styleHash}'`],
    'img-src': ['data:'],
    'form-action': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
  referrerPolicy: 'no-referrer',
});

/**
 * An application for plain pages at a path and below it.
 * @param tooMany answers a client that opens more than {@link maxPlainPages}
 */
export function plainPages(path: string, tooMany: (request: Request, response: Response) => void): Express {
  const limit = new ClientLimit(maxPlainPages);
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  return app.set('trust proxy', isTrustedProxy).use(path, plainPageHeaders, async (request, response, next) => {
    if ((await limit.waitMs(clientKeyOf(request.ip))) === null) return next();
    response.set('retry-after', '60');
    tooMany(request, response);
  });
}

export interface PlainPage {
  readonly status: number;
  /** The language of the page. */
  readonly locale: string;
  readonly title: string;
  /** The server that the page is about, with its picture as a `data:` URL; null without one. */
  readonly server?: { readonly id: string; readonly name: string; readonly picture: string | null } | null;
  readonly body: Html;
  /** The way on, below the body. */
  readonly next: { readonly url: string; readonly label: string };
}

/** Sends a page that says that something was done, or, with another status than 200, that it was not. */
export function sendPlainPage(
  response: Response,
  { status, locale, title, server = null, body, next }: PlainPage,
): void {
  const isDone = status === 200;
  const page = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<p class="sign ${isDone ? 'good' : 'bad'}" aria-hidden="true">${isDone ? '✓' : '✗'}</p>
<h1>${title}</h1>
${server && html`<p class="server">${initials(server.name, server.id, server.picture)} <bdi>${server.name}</bdi></p>`}
${body}
<p><a class="button" href="${next.url}">${next.label}</a></p>
</main>
</body>
</html>
`;
  response.status(status).type('html').send(page.text);
}
