import type { IncomingMessage, ServerResponse } from 'node:http';
import { html } from '../../web/html.ts';
import type { DiscordState } from './discord-state.ts';
import { RejectedByClientError } from './errors.ts';
import type { OAuth } from './oauth.ts';

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
};

/** The page on which Discord asks whether an application gets a permission. Any member of the local Discord answers. */
export function createConsentPage(state: DiscordState, oauth: OAuth) {
  function form(query: URLSearchParams): string {
    const { scope } = oauth.parseAuthorization(query);
    const people = [...state.users.values()].filter(({ bot }) => !bot);
    return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Authorize</title></head>
<body><main><h1>${state.bot.username} wants to access your account</h1>
<p>Permissions: ${scope}</p>
<form method="post" action="?${query.toString()}">
<p><label>Sign in as <select name="user">${people.map(({ id, username }) => html`<option value="${id}">${username}</option>`)}</select></label></p>
<p><button name="decision" value="authorize">Authorize</button> <button name="decision" value="cancel">Cancel</button></p>
</form></main></body></html>
`.text;
  }

  async function decide(request: IncomingMessage, query: URLSearchParams): Promise<string> {
    const authorization = oauth.parseAuthorization(query);
    let body = '';
    for await (const chunk of request) {
      body += String(chunk);
      if (body.length > 10_000) throw new RejectedByClientError('invalid_authorization', 'The form is too large');
    }
    const fields = new URLSearchParams(body);
    const userId = fields.get('user') ?? '';
    if (state.user(userId)?.bot !== false) throw new RejectedByClientError('unknown_user', 'There is no such user');
    return oauth.decide(authorization, userId, fields.get('decision') === 'authorize');
  }

  return async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> => {
    try {
      if (request.method === 'POST') {
        response.writeHead(303, { Location: await decide(request, query), 'Cache-Control': 'no-store' }).end();
      } else response.writeHead(200, headers).end(form(query));
    } catch (error) {
      const reason = error instanceof RejectedByClientError ? error.message : 'The request failed';
      response.writeHead(400, { 'Content-Type': 'text/plain' }).end(`${reason}\n`);
    }
  };
}
