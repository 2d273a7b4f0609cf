import { html } from '@tallyhook/platform/web/html';
import { Router } from 'express';
import type { OwnerContext } from '../context.ts';
import { redirectToSlash } from './middleware.ts';
import { renderPage, textsOf } from './render-page.ts';
import type { OwnerSession, OwnerSessions } from './session.ts';

/** The choice of a server: where a member starts, and for the operator a page of its own. */
export function serverRoutes({ guilds }: Pick<OwnerContext, 'guilds'>, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });

  /** With names as far as Discord says them. Members see those that they managed when they signed in. */
  async function serversOf({ member }: OwnerSession): Promise<readonly { id: string; name: string }[]> {
    const known = guilds.ids();
    const own = member === null ? known : member.guildIds.filter((id) => known.includes(id));
    const named = own.map(async (id) => ({ id, name: (await guilds.reader?.guild(id).catch(() => null))?.name ?? id }));
    return Promise.all(named);
  }

  // What a member finds at the root of the console.
  router.get('/', async (request, response, next) => {
    const session = await sessions.find(request);
    if (session === null || session.member === null) return next();
    const [first, ...others] = session.member.guildIds;
    response.redirect(303, first !== undefined && others.length === 0 ? `servers/${first}/` : 'servers/');
  });

  router.use('/servers', redirectToSlash);
  router.get('/servers/', async (request, response) => {
    const session = await sessions.find(request);
    if (session === null) return response.redirect(303, '../sign-in?next=servers/');
    const servers = await serversOf(session);
    const { text } = textsOf(request);
    const body = html`<h1>${text('console.servers')}</h1>
${
  servers.length === 0
    ? html`<p class="card">${text('console.noServers')}</p>`
    : html`<ul class="card items">${servers.map(
        ({ id, name }) => html`<li><h2><a href="${id}/" title="${id}"><bdi>${name}</bdi></a></h2></li>`,
      )}</ul>`
}`;
    renderPage(request, response, { title: text('console.servers'), session, body });
  });

  return router;
}
