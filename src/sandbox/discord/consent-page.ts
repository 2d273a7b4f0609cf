import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Html, html } from '../../platform/web/html.ts';
import { readBytes } from './body.ts';
import type { DiscordStore } from './discord-store.ts';
import { RejectedByClientError, reject } from './errors.ts';

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#e9eaef, #1e1f22) }
main { box-sizing: border-box; width: min(26rem, 100%); padding: 1.5rem; background: light-dark(#fff, #313338); border-radius: .5rem }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; overflow-wrap: anywhere }
select, button { font: inherit; padding: .5rem .75rem; border-radius: .25rem; border: 1px solid #80848e }
select { width: 100%; margin-top: .25rem }
.decision { display: flex; gap: .5rem; justify-content: flex-end; margin: 1.5rem 0 0 }
.decision button[value="authorize"] { color: #fff; background: #4752c4; border-color: #4752c4 }
.quiet { color: light-dark(#5c5e66, #b5bac1); font-size: .875rem; overflow-wrap: anywhere }`;

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`,
};

/** What a permission allows, as Discord says it. */
const permissionTexts: Readonly<Record<string, string>> = {
  identify: 'Access your username, avatar, and banner',
  guilds: "Know what servers you're in",
  'role_connections.write': 'Update your connection and metadata for the application',
};

/** The page on which Discord asks whether an application gets a permission. Any member of the local Discord answers. */
export function createConsentPage({ state, oauth }: DiscordStore) {
  function form(query: URLSearchParams): string {
    const { application, scope, redirectUri } = oauth.parseAuthorization(query);
    const title = `${application.name} wants to access your account`;
    return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Html(style)}</style></head>
<body><main><h1>${title}</h1>
<p>This will allow the application to:</p>
<ul>${scope.split(' ').map((name) => html`<li>${permissionTexts[name] ?? name}</li>`)}</ul>
<form method="post" action="?${query.toString()}">
<p><label>Sign in as <select name="user">${state.people.map(({ id, username }) => html`<option value="${id}">${username}</option>`)}</select></label></p>
<p class="quiet">This is the local Discord: nobody needs a password. Afterwards you return to ${new URL(redirectUri).origin}.</p>
<p class="decision"><button name="decision" value="cancel">Cancel</button> <button name="decision" value="authorize">Authorize</button></p>
</form></main></body></html>
`.text;
  }

  async function decide(request: IncomingMessage, query: URLSearchParams): Promise<string> {
    const authorization = oauth.parseAuthorization(query);
    const body = (await readBytes(request, 10_000)) ?? reject('invalid_authorization', 'The form is too large');
    const fields = new URLSearchParams(body.toString('utf8'));
    const userId = state.person(fields.get('user') ?? '').id;
    return oauth.decide(authorization, userId, fields.get('decision') === 'authorize');
  }

  return async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> => {
    try {
      if (request.method === 'POST') {
        response.writeHead(303, { Location: await decide(request, query), 'Cache-Control': 'no-store' }).end();
      } else {
        const page = form(query);
        response.writeHead(200, headers).end(page);
      }
    } catch (error) {
      const reason = error instanceof RejectedByClientError ? error.message : 'The request failed';
      response.writeHead(400, { 'Content-Type': 'text/plain' }).end(`${reason}\n`);
    }
  };
}
