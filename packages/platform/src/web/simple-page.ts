import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Html, html } from './html.ts';

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#e9eaef, #1e1f22) }
main { box-sizing: border-box; width: min(26rem, 100%); padding: 1.5rem; background: light-dark(#fff, #313338); border-radius: .5rem }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; overflow-wrap: anywhere }
input, select, button { box-sizing: border-box; font: inherit; padding: .5rem .75rem; border-radius: .25rem; border: 1px solid #80848e }
input, select { width: 100%; margin-top: .25rem }
summary { cursor: pointer }
code { overflow-wrap: anywhere }
.decision { display: flex; gap: .5rem; justify-content: flex-end; margin: 1.5rem 0 0 }
.decision .main { color: #fff; background: #4752c4; border-color: #4752c4 }
.notice { padding: .5rem .75rem; border-radius: .25rem; background: light-dark(#e6e8fd, #3c4270) }
.quiet { color: light-dark(#5c5e66, #b5bac1); font-size: .875rem; overflow-wrap: anywhere }`;

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`,
};

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** Sends a small page without scripts. */
export function sendSimplePage(response: ServerResponse, title: string, body: Html): void {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Html(style)}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`;
  response.writeHead(200, headers).end(page.text);
}
