import { randomUUID } from 'node:crypto';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { type Draft, hasDraft, readDraft, runSetup } from '../../../../commands/setup.ts';
import { wouldHavePaid } from '../../../core/settings/setting-spec.ts';
import type { CommandInput, PostingPermission } from '../../../discord/commands/command.ts';
import type { Modal, OptionValue, Panel, Reply } from '../../../discord/commands/reply.ts';
import type { Texts } from '../../../texts/texts.ts';
import { previewAnnouncements } from '../../announcement-previews.ts';
import type { OwnerContext } from '../../context.ts';
import { previewAssets, previewsHtml } from '../announcements/previews.ts';
import type { SessionMiddleware } from '../middleware.ts';
import { consoleRoot, renderPage, textsOf } from '../render-page.ts';
import { authorOf, type Visit } from '../session.ts';
import { markupHtml } from './markup-html.ts';
import { fieldHtml, hiddenFields, isReading, type PanelView, panelHtml } from './panel-html.ts';

/**
 * The settings of a community: `/setup` on the web, in the language of the browser. Each answer of the command is a
 * page, so that both have the same forms, checks, undo and history.
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

/** Reads the input of `/setup` from a request and from Discord. @throws HttpError 404 without a server */
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

interface PreviewContext {
  readonly context: OwnerContext;
  readonly texts: Texts;
}

/**
 * Answers with what a form would do that is not saved: `{html}`, an article for each announcement, or what the rules
 * would have paid; empty if there is nothing to show.
 * @throws HttpError 404 for other forms
 */
async function sendPreview(response: Response, input: CommandInput, preview: PreviewContext): Promise<void> {
  const { scope, setup, clock, communities } = preview.context;
  const [{ standings }] = communities.all();
  const draft =
    scope &&
    setup &&
    (await readDraft(input, { clock, texts: preview.texts, services: setup, standings }, scope.guildId));
  if (draft === null) throw new HttpError(404, 'There is no preview of this form.');
  response.json({ html: (await draftHtml(draft, preview))?.text ?? '' });
}

async function draftHtml(draft: Draft, { context, texts }: PreviewContext): Promise<Html | null> {
  const { scope, guilds, clock } = context;
  const [names, guild] = await Promise.all([
    context.namesIn(scope)([]),
    scope && guilds.reader?.guild(scope.guildId).catch(() => null),
  ]);
  if (draft.section === 'rewards') {
    return draft.paid && markupHtml(wouldHavePaid(draft.paid, texts), names, texts.locale);
  }
  const { listing } = draft;
  const now = clock.now();
  const announced = texts.languages.for(listing.announcements.language, guild?.locale);
  const previews = previewAnnouncements(listing, { title: listing.title, texts: announced, now });
  return previewsHtml(previews, { names, texts, announced, now });
}

const text = z.string().max(16_000);
const form = z.record(z.string().max(100), z.union([text, z.array(text).max(50)]));

/** Where a selected channel is looked up. */
export interface SelectableObjects {
  /** The ids of the channels of the guild; null if Discord does not say. */
  readonly channels: ReadonlySet<string> | null;
  /** Permissions that the bot lacks in a channel. */
  readonly missingIn: (channelId: string) => Promise<readonly PostingPermission[] | null>;
}

/**
 * A link or a form of the console as the input of `/setup`, which checks that channels and roles are of the guild.
 * @param guildId that of the visit
 */
async function readInput(
  { query, body, method }: Pick<Request, 'query' | 'body' | 'method'>,
  {
    guildId,
    applicationId,
    visit,
    locale,
  }: { readonly guildId: string; readonly applicationId: string; readonly visit: Visit; readonly locale: string },
  objects: SelectableObjects,
): Promise<CommandInput> {
  const parsed = form.safeParse(method === 'POST' ? body : query).data ?? {};
  const first = (name: string) => [parsed[name] ?? ''].flat()[0] ?? '';
  const options: Record<string, OptionValue> = {};
  const fields: Record<string, string | readonly string[] | boolean> = {};
  for (const [name, value] of Object.entries(parsed)) {
    const [kind, rest] = [name.slice(0, 2), name.slice(2)];
    if (kind === 'o.') options[rest] = first(name);
    if (kind === 't.') fields[rest] = first(name).replaceAll('\r\n', '\n');
    if (kind === 'm.') fields[rest] = [value].flat().filter((each) => each !== '');
    if (kind === 'b.') fields[rest] = true;
  }
  const values = first('value') === '' ? [] : [first('value')];
  const selected = [...values, ...Object.values(fields).filter(Array.isArray).flat()];
  const { member, visitor } = visit;
  return {
    options,
    action: first('a') || null,
    values,
    fields,
    resolved: await resolve(selected, objects),
    userId: authorOf(visit),
    displayName: visitor?.name ?? '',
    applicationId,
    guildId,
    channelId: null,
    roles: member === null ? null : (visitor?.roles ?? []),
    isManager: true,
    canAttachFiles: false,
    interactionId: first('i') || 'link',
    locale,
    guildLocale: null,
  };
}

async function resolve(
  values: readonly string[],
  { channels, missingIn }: SelectableObjects,
): Promise<CommandInput['resolved']> {
  const selected = values.filter((id) => channels?.has(id));
  const resolved = selected.map(async (id) => [id, { name: '', missing: await missingIn(id) }] as const);
  return { channels: Object.fromEntries(await Promise.all(resolved)), users: {}, roles: {} };
}
