import { randomUUID } from 'node:crypto';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { editOf, type SetupSection, sectionOf, setupSections } from '../../../../commands/setup/sections.ts';
import { openView } from '../../../../commands/setup/view.ts';
import { readDraft, runSetup } from '../../../../commands/setup.ts';
import { wouldHavePaid } from '../../../core/settings/setting-spec.ts';
import { type CommandInput, isChecked } from '../../../discord/commands/command.ts';
import type { Modal, OptionValue, Panel, Reply } from '../../../discord/commands/reply.ts';
import { previewAnnouncements } from '../../announcement-previews.ts';
import type { SessionMiddleware } from '../middleware.ts';
import { consoleRoot, relativeRoot, renderPage, textsOf } from '../render-page.ts';
import { authorOf, type Visit } from '../session.ts';
import { attemptsPage } from './attempts-page.ts';
import { markupHtml } from './markup-html.ts';
import { addressOf, isReading, type PanelView, panelHtml } from './panel-html.ts';
import { previewsHtml } from './previews-html.ts';
import { type Answered, answerPages, besideNavigation, listingTabs, modalPage, sectionPage } from './settings-page.ts';

/** Requests that a page lists of an endpoint. */
const maxAttempts = 50;

/** The settings as pages: the sections and forms of `/setup`, with its checks, undo and history. */
export function settingsRoutes({ requireSession, requireForm }: SessionMiddleware): Router {
  const router = Router({ strict: true, mergeParams: true });

  router.get(
    '/settings',
    requireSession(async (request, response, visit) => {
      const { scope, guilds } = visit.context;
      if (scope === null) {
        const [only, ...others] = guilds.ids();
        const isOnly = only !== undefined && others.length === 0;
        return response.redirect(303, `servers/${isOnly ? `${only}/settings` : '?to=settings'}`);
      }
      const { a: action = 'overview' } = request.query;
      if (typeof action !== 'string' || !isReading(action)) throw new HttpError(404, 'There is no such page.');
      const settings = await openSettings(request, response, visit);
      const { input, setup } = settings;
      if (!setup.hasListing()) return settings.answer(input);
      if (action === 'overview' || action === 'listing' || action === 'section') {
        const s = String(input.options['s'] ?? setupSections[0]?.id);
        const page = addressOf('section', { s, l: setup.listing.name }, settings.view);
        return response.redirect(303, page);
      }
      return settings.answer(input);
    }),
  );

  router.get(
    '/settings/:page',
    requireSession(async (request, response, visit) => {
      const { page } = request.params;
      const settings = await openSettings(request, response, visit);
      const { input, setup } = settings;
      const section = sectionOf(page);
      const action = typeof page === 'string' ? answerPages.get(page) : undefined;
      if (section === null && action === undefined) throw new HttpError(404, 'There is no such page.');
      if (!setup.hasListing()) return response.redirect(303, '../settings');
      if (section !== null && section.forms.length > 0) return settings.showSection(section, null);
      const options = { ...input.options, s: String(page), l: setup.listing.name };
      return settings.answer({ ...input, action: action ?? 'section', options });
    }),
  );

  router.post(
    '/settings/preview',
    requireForm(async (request, response, visit) => {
      const settings = await openSettings(request, response, visit);
      await settings.sendPreview();
    }),
  );

  for (const path of ['/settings', '/settings/:page']) {
    router.post(
      path,
      requireForm(async (request, response, visit) => {
        const settings = await openSettings(request, response, visit);
        await settings.answer(settings.input);
      }),
    );
  }

  return router;
}

/** Actions of a page whose answer is shown above it. */
const noted: readonly (string | null)[] = ['submit', 'undo', 'reset'];

/** The settings that a request is about, and what it is answered with. */
async function openSettings(request: Request, response: Response, visit: Visit) {
  const { context } = visit;
  const { clock } = context;
  const { input, texts, scope, setup: services, channels, guild } = await readRequest(request, visit);
  const [{ standings }] = context.communities.all();
  const open = () => openView(input, { clock, texts, services, standings }, scope.guildId);
  const run = (asked: CommandInput) => runSetup(asked, { clock, texts, setup: services, standings });
  const setup = await open();
  const roles = (guild?.roles ?? []).filter(({ id }) => id !== scope.guildId);
  const view: PanelView = {
    ...{ texts, channels: channels ?? [], roles, formToken: visit.formToken, changeId: randomUUID() },
    ...{ base: `${relativeRoot(request.path)}settings`, names: await context.namesIn(scope)([]) },
    ...{ root: consoleRoot(request), setup },
  };
  const reopened = async (): Promise<PanelView> => ({ ...view, setup: await open() });

  function send(current: string | null, content: Html, of: PanelView): void {
    const body = html`<div lang="${texts.locale}" dir="auto">${besideNavigation(current, content, of)}</div>`;
    renderPage(request, response, { title: texts.text('console.settings'), session: visit, body });
  }

  /** @param answered what was done before, or not */
  async function showSection(section: SetupSection, answered: Answered | null): Promise<void> {
    const now = answered === null ? view : await reopened();
    if (now.setup.hasListing()) send(section.id, sectionPage(now.setup, section, now, answered), now);
    else response.redirect(303, view.base);
  }

  /** The answer of `/setup`, as the page that it is about or as a page of its own. */
  async function answer(asked: CommandInput): Promise<void> {
    if (asked.action === 'webhook-attempts') return showAttempts(asked);
    const result = await run(asked);
    const [file] = ('files' in result && result.files) || [];
    if (file !== undefined) {
      response.attachment(file.name).send(Buffer.from(file.content));
      return;
    }
    if ('isRefused' in result && result.isRefused) response.status(400);
    const { options } = asked;
    const edit = editOf(asked);
    const section = sectionOf(edit?.section ?? options['s']);
    const named = { ...view, names: await context.namesIn(scope)(mentionedIn(result)) };
    if (isModal(result)) {
      const page = { section: section?.id ?? null, answered: null, sent: options };
      return send(section?.id ?? currentOf(asked), modalPage(result, page, view), view);
    }
    const answered: Answered = { panel: result, input: withoutFields(asked, edit?.form.secretFields) };
    if (section !== null && section.forms.length > 0 && noted.includes(asked.action)) {
      const isOfEntry = options['f'] !== undefined || options['p'] !== undefined;
      const isRejected = result.tone === 'bad' && isOfEntry && !isChecked(asked, 'remove');
      const form = isRejected ? await run({ ...asked, action: 'edit' }) : null;
      if (form !== null && isModal(form)) {
        return send(section.id, modalPage(form, { section: section.id, answered, sent: options }, view), view);
      }
      return showSection(section, answered);
    }
    const now = await reopened();
    const current = section?.id ?? currentOf(asked);
    const tabs = current === 'listing' && now.setup.hasListing() ? listingTabs(now.setup, current, view) : null;
    send(current, panelHtml(result, named, tabs), now);
  }

  async function showAttempts({ options }: CommandInput): Promise<void> {
    const sent = await services.endpoints.attempts(scope.guildId, String(options['w']), maxAttempts);
    if (sent === null) throw new HttpError(404, 'There is no such endpoint.');
    const back = addressOf('webhook', options, view);
    send('webhooks', attemptsPage(sent, { back, now: clock.now(), texts }), view);
  }

  /** Answers with `{html}`: what a form would do that is not saved; empty for nothing. @throws HttpError 404 */
  async function sendPreview(): Promise<void> {
    const draft = await readDraft(setup);
    if (draft === null) throw new HttpError(404, 'There is no preview of this form.');
    const { names } = view;
    if (draft.listing === undefined) {
      response.json({ html: (draft.paid && markupHtml(wouldHavePaid(draft.paid, texts), names, texts))?.text ?? '' });
      return;
    }
    const now = clock.now();
    const sender = (await context.guilds.reader?.user(input.applicationId).catch(() => null)) ?? 'tallyhook';
    const announced = texts.languages.for(draft.listing.announcements.language, guild?.locale);
    const previews = previewAnnouncements(draft.listing, { title: draft.listing.title, texts: announced, now });
    const shownTo = { names, texts, announced, now, sender, iconOf: guild?.icon ? guild.id : null };
    response.json({ html: previewsHtml(previews, shownTo).text });
  }

  return { input, view, setup, showSection, answer, sendPreview };
}

/** Secrets are on no page again. */
function withoutFields(input: CommandInput, names: readonly string[] = []): CommandInput {
  const fields = Object.entries(input.fields).filter(([name]) => !names.includes(name));
  return { ...input, fields: Object.fromEntries(fields) };
}

function isModal(answer: Modal | Panel | Reply): answer is Modal {
  return 'kind' in answer && answer.kind === 'modal';
}

/** The page of the navigation to which an action without a section belongs. */
function currentOf({ action, options }: CommandInput): string | null {
  if (options['s'] !== undefined) return String(options['s']);
  if (action?.startsWith('webhook')) return 'webhooks';
  return action?.includes('token') ? 'tokens' : 'listing';
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
  const applicationId = (await reader?.applicationId().catch(() => null)) ?? '';
  const sent = readInput(request, { guildId, applicationId, visit, locale: texts.locale });
  const selected = [...sent.values, ...Object.values(sent.fields).filter(Array.isArray).flat()];
  // `/setup` checks that channels and roles are of the guild.
  const own = selected.filter((id) => channelIds?.has(id));
  const missing = own.map(async (id) => [id, { name: '', missing: (await reader?.missingIn(id)) ?? null }] as const);
  const resolved = { channels: Object.fromEntries(await Promise.all(missing)), users: {}, roles: {} };
  return { input: { ...sent, resolved }, texts, scope, setup, channels, guild };
}

function mentionedIn(answer: object): string[] {
  return [...JSON.stringify(answer).matchAll(/<@(\d{1,20})>/g)].flatMap(([, id]) => id ?? []);
}

const text = z.string().max(16_000);
const form = z.record(z.string().max(100), z.union([text, z.array(text).max(50)]));

/** A link or form as the input of `/setup`. */
function readInput(
  { query, body, method }: Pick<Request, 'query' | 'body' | 'method'>,
  place: { readonly guildId: string; readonly applicationId: string; readonly visit: Visit; readonly locale: string },
): Omit<CommandInput, 'resolved'> {
  const { visit, ...where } = place;
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
  const { member, visitor } = visit;
  return {
    ...where,
    options,
    action: first('a') || null,
    values: first('value') === '' ? [] : [first('value')],
    fields,
    userId: authorOf(visit),
    displayName: visitor?.name ?? '',
    channelId: null,
    roles: member === null ? null : (visitor?.roles ?? []),
    isManager: true,
    canAttachFiles: false,
    interactionId: first('i') || 'link',
    guildLocale: null,
  };
}
