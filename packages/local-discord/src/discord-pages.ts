import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBytes } from '@tallyhook/platform/http/read-bytes';
import { type Html, html } from '@tallyhook/platform/web/html';
import { sendSimplePage } from '@tallyhook/platform/web/simple-page';
import type { DiscordStore } from './discord-store.ts';
import { RejectedByClientError, reject } from './errors.ts';

/** Texts of the consent page, as on Discord, by OAuth2 scope. */
const permissionTexts: Readonly<Record<string, string>> = {
  identify: 'Access your username, avatar, and banner',
  guilds: "Know what servers you're in",
  'role_connections.write': 'Update your connection and metadata for the application',
};

/** The page on which Discord asks whether an application gets a permission. Any member of the local Discord answers. */
export function createConsentPage({ state, oauth }: DiscordStore) {
  function form(query: URLSearchParams): readonly [title: string, body: Html] {
    const { application, scope, redirectUri } = oauth.parseAuthorization(query);
    const body = html`<p>This will allow the application to:</p>
<ul>${scope.split(' ').map((name) => html`<li>${permissionTexts[name] ?? name}</li>`)}</ul>
<form method="post" action="?${query.toString()}">
<p><label>Sign in as <select name="user">${state.people.map(({ id, username }) => html`<option value="${id}">${username}</option>`)}</select></label></p>
<p class="quiet">This is the local Discord: nobody needs a password. Afterwards you return to ${new URL(redirectUri).origin}.</p>
<p class="decision"><button name="decision" value="cancel">Cancel</button> <button class="main" name="decision" value="authorize">Authorize</button></p>
</form>`;
    return [`${application.name} wants to access your account`, body];
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
        sendSimplePage(response, ...form(query));
      }
    } catch (error) {
      const reason = error instanceof RejectedByClientError ? error.message : 'The request failed';
      response.writeHead(400, { 'Content-Type': 'text/plain' }).end(`${reason}\n`);
    }
  };
}

/**
 * The pages of invites to a server, and of adding a bot. Nobody has to join anything here, so they say what there is. They
 * have the addresses of Discord: `/invite/CODE` and `/oauth2/authorize`. Those of channels lead to the page of all of them.
 */
export function createInvitePages({ state }: DiscordStore) {
  const open = html`<p class="decision"><a href="/">Open the local Discord</a></p>`;
  return (_request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): boolean => {
    const { name, vanity_url_code: inviteCode } = state.guild();
    const code = /^\/invite\/([^/]+)$/.exec(path)?.[1];
    if (code !== undefined) {
      const text = html`<p>This is the local Discord: all of its members are in this server already.</p>${open}`;
      const unknown = html`<p>This invite has ended, or never was.</p>`;
      sendSimplePage(
        response,
        ...(code === inviteCode ? ([name, text] as const) : (['Invite invalid', unknown] as const)),
      );
    } else if (path === '/oauth2/authorize') {
      const isBot = query.get('client_id') === state.bot.id;
      const text = isBot
        ? html`<p>${state.bot.username} is in ${name} already.</p>`
        : html`<p>This is the local Discord: it has one bot, ${state.bot.username}. Others that are listed are examples.</p>`;
      sendSimplePage(response, 'Add a bot', html`${text}${open}`);
    } else if (path.startsWith('/channels/')) response.writeHead(303, { Location: '/' }).end();
    else return false;
    return true;
  };
}
