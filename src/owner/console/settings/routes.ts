import { randomUUID } from 'node:crypto';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { hasDraft } from '../../../../commands/setup/draft.ts';
import { runSetup } from '../../../../commands/setup.ts';
import type { Modal, Panel, Reply } from '../../../discord/commands/reply.ts';
import type { Texts } from '../../../texts/texts.ts';
import { previewAssets } from '../announcements/previews.ts';
import type { SessionMiddleware } from '../middleware.ts';
import { consoleRoot, renderPage, textsOf } from '../render-page.ts';
import type { Visit } from '../session.ts';
import { isReading } from './actions.ts';
import { fieldHtml, hiddenFields, type PanelView, panelHtml } from './panel-html.ts';
import { sendPreview } from './preview.ts';
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

  router.post(
    '/settings/preview',
    requireForm(async (request, response, visit) => {
      const { input, texts } = await readRequest(request, visit);
      await sendPreview(response, input, { context: visit.context, texts });
    }),
  );

  return router;
}

/** What of a request and of Discord makes the input of `/setup`. @throws HttpError 404 without a server */
async function readRequest(request: Request, visit: Visit) {
  const { scope, guilds, setup } = visit.context;
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
    missingIn: async (id: string) => (await reader?.missingIn(id)) ?? null,
  };
  const applicationId = (await reader?.applicationId().catch(() => null)) ?? '';
  const input = await readInput(request, { guildId, applicationId, visit, locale: texts.locale }, objects);
  return { input, texts, scope, setup, channels, roles };
}

async function answer(request: Request, response: Response, visit: Visit): Promise<void> {
  const { context } = visit;
  const { clock } = context;
  const { input, texts, scope, setup, channels, roles } = await readRequest(request, visit);
  const [{ standings }] = context.communities.all();
  const result = await runSetup(input, { clock, texts, setup, standings });
  const [file] = ('files' in result && result.files) || [];
  if (file !== undefined) {
    response.attachment(file.name).send(Buffer.from(file.content));
    return;
  }
  const view: PanelView = {
    locale: texts.locale,
    names: await context.namesIn(scope)(mentionedIn(result)),
    channels: channels ?? [],
    roles,
    formToken: visit.formToken,
    changeId: randomUUID(),
  };
  if ('isRefused' in result && result.isRefused) response.status(400);
  const isModal = 'kind' in result && result.kind === 'modal';
  const content = isModal
    ? modalHtml(result, view, texts, consoleRoot(request))
    : panelHtml(result as Panel | Reply, view);
  const body = html`<div class="settings" lang="${texts.locale}" dir="auto">${content}</div>`;
  renderPage(request, response, { title: texts.text('setup.main.title').replaceAll('*', ''), session: visit, body });
}

function modalHtml(modal: Modal, view: PanelView, texts: Texts, base: string): Html {
  const { title, action, options = {}, fields } = modal;
  const form = html`<form class="card stack" method="post" action="settings">${hiddenFields(action, options, view)}
${fields.map((field) => fieldHtml(field, view))}
<p class="line"><button>${texts.text('console.save')}</button> <a href="settings">${texts.text('setup.buttons.cancel')}</a></p></form>`;
  const { f: name } = options;
  return html`<h1>${title}</h1>
${
  hasDraft(name)
    ? html`<div class="columns with-preview">${form}
<section class="card previews" aria-labelledby="preview" data-preview="settings/preview" hidden><h2 id="preview">${texts.text('console.preview')}</h2><div></div></section></div>
${previewAssets(base)}`
    : form
}`;
}

/** The members that an answer mentions. */
function mentionedIn(answer: object): string[] {
  return [...JSON.stringify(answer).matchAll(/<@(\d{1,20})>/g)].flatMap(([, id]) => id ?? []);
}
