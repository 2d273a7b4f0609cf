import type { IncomingMessage, ServerResponse } from 'node:http';
import { html } from '../../platform/web/html.ts';
import { sendSimplePage } from '../simple-page.ts';
import type { DiscordStore } from './discord-store.ts';

/**
 * The pages of invites to a server, and of adding a bot. Nobody has to join anything here, so they say what there is. They
 * have the addresses of Discord: `/invite/CODE` and `/oauth2/authorize`.
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
    } else return false;
    return true;
  };
}
