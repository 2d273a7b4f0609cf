import { randomUUID } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { runSetup } from '../../../../commands/setup.ts';
import type { Modal, Panel, Reply } from '../../../discord/commands/reply.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import type { Texts } from '../../../texts/texts.ts';
import type { SessionMiddleware } from '../middleware.ts';
import { renderPage, textsOf } from '../render-page.ts';
import type { Visit } from '../session.ts';
import { isReading } from './actions.ts';
import { fieldHtml, hiddenFields, type PanelView, panelHtml } from './panel-html.ts';
import { readInput } from './web-input.ts';

/**
 * The settings of a community: `/setup` on the web, in the language of the browser. Each answer of the command is a page,
 * so that both have the same forms, checks, undo and history.
 */
export function settingsRoutes({ requireSession, requireForm }: SessionMiddleware): Router {
  const router = Router({ strict: true, mergeParams: true });

  router.get(
    '/settings',
    requireSession(async (request, response, visit) => {
      if (visit.context.scope === null) return response.redirect(303, 'servers/');
      const { a: action = '' } = request.query;
      if (action !== '' && !(typeof action === 'string' && isReading(action))) {
        throw new HttpError(404, 'There is no such page.');
      }
      await answer(request, response, visit);
    }),
  );

  router.post(
    '/settings',
    requireForm(async (request, response, visit) => {
      await answer(request, response, visit);
    }),
  );

  return router;
}

async function answer(request: Request, response: Response, visit: Visit): Promise<void> {
  const { context } = visit;
  const { scope, guilds, setup, clock } = context;
  if (scope === null || setup === null) throw new HttpError(404, 'There are no settings here.');
  const { guildId } = scope;
  const { reader } = guilds;
  const texts = textsOf(request);
  const [guild, channels, channelIds] = await Promise.all([
    reader?.guild(guildId).catch(() => null),
    reader?.channels(guildId).catch(() => null),
    setup.checks.channelsOf(guildId),
  ]);
  const roles = (guild?.roles ?? []).filter(({ id }) => id !== guildId);
  const objects = {
    channels: channelIds,
    roles: new Map(roles.map(({ id, name }) => [id, name])),
    missingIn: async (id: string) => (await reader?.missingIn(id)) ?? null,
  };
  const applicationId = (await reader?.applicationId().catch(() => null)) ?? '';
  const input = await readInput(request, { guildId, applicationId, visit, locale: texts.locale }, objects);
  const { standings } = context.communities.home;
  const result = await runSetup(input, { clock, texts, setup, standings });
  const [file] = ('files' in result && result.files) || [];
  if (file !== undefined) {
    response.attachment(file.name).send(Buffer.from(file.content));
    return;
  }
  const view: PanelView = {
    names: await context.namesIn(scope)(mentionedIn(result)),
    channels: channels ?? [],
    roles,
    formToken: visit.formToken,
    changeId: randomUUID(),
  };
  const isModal = 'kind' in result && result.kind === 'modal';
  const content = isModal ? modalHtml(result, view, texts) : panelHtml(result as Panel | Reply, view);
  const body = html`<div class="settings" lang="${texts.locale}" dir="auto">${content}</div>`;
  renderPage(request, response, { title: texts.setup.main.title.replaceAll('*', ''), session: visit, body });
}

function modalHtml(modal: Modal, view: PanelView, texts: Texts): Html {
  const { title, action, options = {}, fields } = modal;
  return html`<h1>${title}</h1>
<form class="card stack" method="post" action="settings">${hiddenFields(action, options, view)}
${fields.map((field) => fieldHtml(field, view))}
<p class="line"><button>${texts.console.save}</button> <a href="settings">${texts.setup.buttons.cancel}</a></p></form>`;
}

/** The members that an answer mentions. */
function mentionedIn(answer: object): string[] {
  return [...JSON.stringify(answer).matchAll(/<@(\d{1,20})>/g)].flatMap(([, id]) => id ?? []);
}
