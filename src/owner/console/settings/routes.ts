import { randomUUID } from 'node:crypto';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { type Draft, hasDraft, readDraft, runSetup } from '../../../../commands/setup.ts';
import { wouldHavePaid } from '../../../core/settings/setting-spec.ts';
import type { CommandInput, PostingPermission } from '../../../discord/commands/command.ts';
import type {
  Modal,
  ModalField,
  OptionValue,
  Panel,
  PanelBlock,
  Reply,
  ReplyButton,
  ReplySelect,
} from '../../../discord/commands/reply.ts';
import type { GuildName } from '../../../discord/guild-reader.ts';
import type { Texts } from '../../../texts/texts.ts';
import { previewAnnouncements } from '../../announcement-previews.ts';
import type { OwnerContext } from '../../context.ts';
import type { NameBook } from '../../names.ts';
import { previewAssets, previewsHtml } from '../announcements/announcements-page.ts';
import type { SessionMiddleware } from '../middleware.ts';
import { consoleRoot, renderPage, textsOf } from '../render-page.ts';
import { authorOf, type Visit } from '../session.ts';
import { inlineMarkup, markupHtml } from './markup-html.ts';

/** `/setup` on the web: each answer of the command is a page, with the same forms, checks, undo and history. */
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

function mentionedIn(answer: object): string[] {
  return [...JSON.stringify(answer).matchAll(/<@(\d{1,20})>/g)].flatMap(([, id]) => id ?? []);
}

interface PreviewContext {
  readonly context: OwnerContext;
  readonly texts: Texts;
}

/** Answers with `{html}`: what a form would do that is not saved; empty for nothing. @throws HttpError 404 */
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

interface SelectableObjects {
  /** The ids of the channels of the guild; null if Discord does not say. */
  readonly channels: ReadonlySet<string> | null;
  readonly missingIn: (channelId: string) => Promise<readonly PostingPermission[] | null>;
}

/** A link or form as the input of `/setup`, which checks that channels and roles are of the guild. */
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

interface PanelView {
  readonly names: NameBook;
  readonly locale: string;
  readonly channels: readonly GuildName[];
  readonly roles: readonly GuildName[];
  readonly formToken: string;
  /** Sent with what is changed, so that sending it twice changes it once. */
  readonly changeId: string;
}

type Options = Readonly<Record<string, OptionValue>>;

/** An answer of `/setup` as a part of a page: what reads is a link, what changes something a form. */
function panelHtml(panel: Panel | Reply, view: PanelView): Html {
  const blocks: readonly PanelBlock[] =
    'kind' in panel
      ? panel.blocks
      : [
          ...(panel.text === undefined ? [] : [{ kind: 'text', text: panel.text } as const]),
          ...(panel.buttons === undefined ? [] : [{ kind: 'buttons', buttons: panel.buttons } as const]),
        ];
  const tone = panel.tone === 'good' ? 'good' : panel.tone === 'bad' ? 'bad' : '';
  return html`${panel.title !== undefined && html`<h1>${inlineMarkup(panel.title, view.names, view.locale)}</h1>`}
<section class="card panel ${tone}"${tone !== '' && html` role="status"`}>${blocks.map((block) => blockHtml(block, view))}</section>`;
}

function blockHtml(block: PanelBlock, view: PanelView): Html {
  switch (block.kind) {
    case 'text':
    case 'thumbnail':
      return html`<div class="text">${markupHtml(block.text, view.names, view.locale)}</div>`;
    case 'section':
      return html`<div class="with-action"><div class="text">${markupHtml(block.text, view.names, view.locale)}</div>${buttonHtml(block.button, view)}</div>`;
    case 'buttons':
      return html`<div class="line">${block.buttons.map((button) => buttonHtml(button, view))}</div>`;
    case 'select':
      return selectHtml(block.select, view);
    case 'separator':
      return html`<hr>`;
    case 'image':
      return html`<p class="quiet">${block.description}</p>`;
  }
}

function buttonHtml(button: ReplyButton, view: PanelView): Html | null {
  if (button.kind === 'link')
    return html`<a class="button second" href="${button.url}" rel="noreferrer">${button.label}</a>`;
  if (button.kind === 'page') return null;
  const { action, options = {}, label, style } = button;
  const isMain = style === 'primary' || style === 'success';
  if (isReading(action)) {
    return html`<a class="button${!isMain && html` second`}" href="?${queryOf(action, options)}">${label}</a>`;
  }
  return html`<form method="post" action="settings">${hiddenFields(action, options, view)}<button class="${isMain ? '' : 'second'}${style === 'danger' && html` danger`}">${label}</button></form>`;
}

function selectHtml(select: ReplySelect, view: PanelView): Html {
  const { action, options = {}, placeholder = '' } = select;
  const id = `select-${action}`;
  const field = html`<label for="${id}">${placeholder}</label> <select id="${id}" name="value">${optionsHtml(select, view)}</select>`;
  return isReading(action)
    ? html`<form class="line" method="get" action="settings"><input type="hidden" name="a" value="${action}">${Object.entries(
        options,
      ).map(
        ([name, value]) => html`<input type="hidden" name="o.${name}" value="${String(value)}">`,
      )}${field}<button class="second" aria-label="${placeholder}">→</button></form>`
    : html`<form class="line" method="post" action="settings">${hiddenFields(action, options, view)}${field}<button aria-label="${placeholder}">✓</button></form>`;
}

function optionsHtml(
  select: ReplySelect | Extract<ModalField, { kind: 'choices' | 'channels' | 'roles' | 'users' }>,
  view: PanelView,
): Html {
  if (select.kind === 'choices') {
    return html`${select.choices.map(
      ({ value, label, selected }) =>
        html`<option value="${value}"${selected === true && html` selected`}>${label}</option>`,
    )}`;
  }
  const [known, sign] = select.kind === 'channels' ? [view.channels, '#'] : [view.roles, '@'];
  const { selected = [] } = select;
  const others = selected.filter((id) => known.every((each) => each.id !== id)).map((id) => ({ id, name: id }));
  return html`${[...known, ...others].map(
    ({ id, name }) => html`<option value="${id}"${selected.includes(id) && html` selected`}>${sign}${name}</option>`,
  )}`;
}

function hiddenFields(action: string, options: Options, { formToken, changeId }: PanelView): Html {
  const all = { a: action, i: changeId, ...Object.fromEntries(Object.entries(options).map(([k, v]) => [`o.${k}`, v])) };
  return html`${formTokenField({ formToken })}${Object.entries(all).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  )}`;
}

function queryOf(action: string, options: Options): string {
  const query = new URLSearchParams({ a: action });
  for (const [name, value] of Object.entries(options)) query.set(`o.${name}`, String(value));
  return query.toString();
}

/** A field of a form. The first letter of its name says what is entered: a text, several values, or yes and no. */
function fieldHtml(field: ModalField, view: PanelView): Html {
  const { name, label, description, required = true } = field;
  const id = `field-${name}`;
  const hint = description === undefined ? null : html`<p class="quiet" id="${id}-hint">${description}</p>`;
  const described = description !== undefined && html` aria-describedby="${id}-hint"`;
  const must = required && html` required`;
  switch (field.kind) {
    case 'text': {
      const { value = '', maxLength = 4_000, minLength = 0 } = field;
      const limits = html` maxlength="${maxLength}"${minLength > 0 && html` minlength="${minLength}"`} dir="auto"${must}${described}`;
      return html`<label for="${id}">${label}</label>${
        field.multiline
          ? html`<textarea id="${id}" name="t.${name}" rows="5"${limits}>\n${value}</textarea>`
          : html`<input id="${id}" name="t.${name}" value="${value}" autocomplete="off"${limits}>`
      }${hint}`;
    }
    // Its text can be entered in another field.
    case 'file':
      return html``;
    case 'checkbox':
      return html`<p class="choice"><input type="checkbox" id="${id}" name="b.${name}" value="1"${field.checked === true && html` checked`}${described}> <label for="${id}">${label}</label></p>${hint}`;
    case 'radios':
    case 'checkboxes': {
      const [type, prefix] = field.kind === 'radios' ? ['radio', 't'] : ['checkbox', 'm'];
      return html`<fieldset${described}><legend>${label}</legend>${field.choices.map(
        ({ value, label: text, selected }) =>
          html`<p class="choice"><input type="${type}" id="${id}-${value}" name="${prefix}.${name}" value="${value}"${selected === true && html` checked`}> <label for="${id}-${value}">${text}</label></p>`,
      )}${hint}</fieldset>`;
    }
    default: {
      const { maxValues = 1, minValues } = field;
      const isEmptyAllowed = !required || minValues === 0;
      return html`<label for="${id}">${label}</label><select id="${id}" name="m.${name}"${maxValues > 1 && html` multiple size="7"`}${described}>
${maxValues === 1 && isEmptyAllowed && html`<option value="">–</option>`}${optionsHtml(field, view)}</select>${hint}`;
    }
  }
}

/** The actions of `/setup` that only show something, so that a link may lead to them. All others change something. */
const reading: readonly string[] = [
  'overview',
  'listing',
  'section',
  'edit',
  'again',
  'entry',
  'item',
  'remove',
  'test',
  'step-channel',
  'step-rewards',
  'key',
  'rotate',
  'unlink',
  'add',
  'link',
  'more',
  'post-panel',
  'history',
  'import',
  'export',
  'check',
  'tokens',
  'token',
  'new-token',
];

function isReading(action: string): boolean {
  return reading.includes(action);
}
