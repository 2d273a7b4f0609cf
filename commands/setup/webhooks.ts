import { randomBytes } from 'node:crypto';
import { type JsonObject, listOf, numberOf, textOf, textsOf } from '@tallyhook/platform/json';
import {
  bold,
  codeBlock,
  escapeName,
  escapeText,
  joined,
  lines,
  type Markup,
  markup,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { ruleText } from '../../src/core/settings/value-schemas.ts';
import { selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { Modal, ModalField, Panel } from '../../src/discord/commands/reply.ts';
import { webhookEndpoints } from '../../src/features/events/event.ts';
import { eventTypes } from '../../src/features/events/event-types.ts';
import { endpointId, hostOf, maxEndpoints } from '../../src/features/events/settings.ts';
import type { EndpointState, WebhookAttempt } from '../../src/features/events/store.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { textInput, withDraft } from './form.ts';
import {
  buttonBlock,
  escapedName,
  type ListingView,
  modal,
  panel,
  renderSaved,
  renderUnsaved,
  showSaved,
} from './view.ts';

/* The section of the addresses that receive events. Components name one by its id, among those of the own community. */

interface ListedEndpoint {
  readonly id: string;
  /** The endpoint as it is in the settings, without its secrets. */
  readonly stated: JsonObject;
  readonly name: Markup;
  readonly events: readonly string[];
  readonly secretCount: number;
}

type Handler = (view: ListingView, endpoint: ListedEndpoint) => Promise<Panel> | Panel | Modal;

const origin = { section: 'webhooks' } as const;
const maxReasonLength = 200;
const maxShownAttempts = 10;

/** Sent by hand alone. */
const chosenTypes = eventTypes.filter((type) => type !== 'webhook.test');

export const webhooks = {
  id: 'webhooks' as const,
  summary: [],
  paths: ['webhooks' as const],
  forms: [],
  render: renderWebhooks,
  actions: {
    webhook: ofEndpoint((view, endpoint) => renderEndpoint(view, endpoint)),
    'webhook-add': addForm,
    'webhook-added': addEndpoint,
    'webhook-events': ofEndpoint(eventsForm),
    'webhook-chosen': ofEndpoint(saveEvents),
    'webhook-secret': ofEndpoint(replaceSecret),
    'webhook-drop': ofEndpoint((view, { id }) =>
      showSaved(view, save(view, withEndpoint(view, id, { dropOldSecrets: true })), origin),
    ),
    'webhook-test': ofEndpoint(sendTest),
    'webhook-resume': ofEndpoint(resume),
    'webhook-resend': ofEndpoint(resend),
    'webhook-attempts': ofEndpoint(renderAttempts),
    'webhook-remove': ofEndpoint(confirmRemoval),
    'webhook-removed': ofEndpoint(removeEndpoint),
  },
};

function endpointsIn(view: ListingView): readonly ListedEndpoint[] {
  const all = listOf(view.value('webhooks'));
  const hosts = all.map(({ url }) => hostOf(textOf(url)));
  return all.map((stated, index) => {
    const id = endpointId(textOf(stated['url']));
    const host = hosts[index] ?? '';
    const isOnly = hosts.filter((each) => each === host).length === 1;
    return {
      ...{ id, stated, events: textsOf(stated['events']), secretCount: numberOf(stated['secretCount']) },
      // The path of an address may be secret.
      name: escapeName(isOnly ? host : `${host} (${id})`, 80),
    };
  });
}

/** The list for a forged id, or for one that was removed. */
function ofEndpoint(handle: Handler) {
  return (view: ListingView): ReturnType<Handler> => {
    const endpoint = endpointsIn(view).find(({ id }) => id === view.input.options['w']);
    return endpoint === undefined ? renderWebhooks(view) : handle(view, endpoint);
  };
}

async function renderWebhooks(view: ListingView): Promise<Panel> {
  const { services, guildId, text, texts } = view;
  const endpoints = endpointsIn(view);
  const states = await services.endpoints.states(guildId);
  const { source } = view.effective('webhooks');
  return panel(
    'plain',
    escapedName(text('setup.sections.webhooks')),
    [
      lines(
        text('setup.webhooks.intro'),
        source === 'default' || source === 'unset' ? null : subtext(text(`setup.sources.${source}`)),
      ),
      ...endpoints.map((endpoint) => ({
        kind: 'section' as const,
        text: lines(bold(endpoint.name), describeEndpoint(endpoint, states.get(endpoint.id), texts)),
        button: view.button('open', 'webhook', { w: endpoint.id }),
      })),
    ],
    [
      endpoints.length < maxEndpoints && view.button('addWebhook', 'webhook-add', {}, 'primary'),
      source === 'setup' && view.button('reset', 'reset', { s: 'webhooks' }),
      view.overviewButton,
    ],
  );
}

function describeEndpoint({ events }: ListedEndpoint, state: EndpointState | undefined, { list, text }: Texts): Markup {
  const types = events.length === 0 ? text('setup.webhooks.allEvents') : escapeName(list(events), 300);
  return lines(types, subtext(stateText(state, text)));
}

function stateText(state: EndpointState | undefined, text: Texts['text']): Markup {
  if (state === undefined) return text('setup.webhooks.ok');
  const { failingSince, pausedAt } = state;
  const reason = escapeName(state.reason, maxReasonLength);
  return pausedAt === null
    ? text('setup.webhooks.failing', { time: timestamp(failingSince, 'R'), reason })
    : text('setup.webhooks.paused', { time: timestamp(pausedAt, 'R'), reason });
}

/** @param note what was done just now */
async function renderEndpoint(
  view: ListingView,
  endpoint: ListedEndpoint,
  { note = null, tone = 'plain' }: { readonly note?: Markup | null; readonly tone?: Panel['tone'] } = {},
): Promise<Panel> {
  const { services, guildId, text, texts } = view;
  const options = { w: endpoint.id };
  const state = (await services.endpoints.states(guildId)).get(endpoint.id);
  const isPaused = state !== undefined && state.pausedAt !== null;
  const secrets = text('setup.webhooks.secrets', { count: endpoint.secretCount });
  return panel(
    tone,
    endpoint.name,
    [
      note,
      lines(
        describeEndpoint(endpoint, state, texts),
        subtext(joined([secrets, markup`\`${escapeName(endpoint.id)}\``], ' · ')),
      ),
      buttonBlock(
        view.button('sendTest', 'webhook-test', options, 'primary'),
        view.button('attempts', 'webhook-attempts', options),
        isPaused
          ? view.button('tryAgain', 'webhook-resume', options)
          : view.button('sendAgain', 'webhook-resend', options),
      ),
    ],
    [
      view.button('events', 'webhook-events', options),
      view.button('newSecret', 'webhook-secret', options),
      endpoint.secretCount > 1 && view.button('dropSecrets', 'webhook-drop', options),
      view.button('remove', 'webhook-remove', options, 'danger'),
      view.sectionButton('webhooks'),
    ],
  );
}

function eventsField({ text }: Texts, selected: readonly string[]): ModalField {
  return {
    kind: 'choices',
    name: 'events',
    label: text('setup.fields.events'),
    description: text('setup.hints.events'),
    required: false,
    minValues: 0,
    maxValues: chosenTypes.length,
    choices: chosenTypes.map((type) => ({ value: type, label: type, selected: selected.includes(type) })),
  };
}

/** The form for a new address, with what was entered before if it was rejected. */
function addForm(view: ListingView): Modal {
  const { text, texts, services, input } = view;
  const draft = input.options['d'] === undefined ? null : services.drafts.find(view.draftKey('webhooks'));
  const fields = [textInput(texts, 'url', { hint: 'url', maxLength: 500 }), eventsField(texts, [])];
  const shown = draft ? withDraft(fields, draft) : fields;
  return modal(text('setup.buttons.addWebhook'), 'webhook-added', shown, view.listingOptions);
}

async function addEndpoint(view: ListingView): Promise<Panel> {
  const { input, services, guildId, texts } = view;
  const url = textField(input, 'url');
  const rejected = await services.endpoints.check(url);
  if (rejected !== null) {
    services.drafts.put(view.draftKey('webhooks'), input.fields);
    const again = { action: 'webhook-add', options: { ...view.listingOptions, d: 1 } };
    const problem = markup`${bold(escapedName(texts.text('setup.fields.url')))}: ${escapeText(ruleText(rejected, texts))}`;
    return renderUnsaved(view, [{ text: problem, hint: null }], again);
  }
  const secret = newSecret();
  const added = { url, ...chosenEvents(view), secrets: [secret] };
  const saving = save(view, [...endpointsIn(view).map(({ stated }) => stated), added]);
  const shown = await showSecret(view, saving, { url, secret });
  // It may have been paused before it was removed.
  if (shown.tone === 'good') await services.endpoints.resume(guildId, endpointId(url));
  return shown;
}

function eventsForm({ text, texts, listingOptions }: ListingView, { id, events }: ListedEndpoint): Modal {
  const options = { ...listingOptions, w: id };
  return modal(text('setup.buttons.events'), 'webhook-chosen', [eventsField(texts, events)], options);
}

function saveEvents(view: ListingView, { id }: ListedEndpoint): Promise<Panel> {
  const { events } = chosenEvents(view);
  return showSaved(view, save(view, withEndpoint(view, id, { events })), origin);
}

/** All and none are the same. */
function chosenEvents({ input }: ListingView): { readonly events?: readonly string[] } {
  const selected = selectedValues(input, 'events');
  const events = chosenTypes.filter((type) => selected.includes(type));
  return events.length === 0 || events.length === chosenTypes.length ? {} : { events };
}

function replaceSecret(view: ListingView, { id, stated }: ListedEndpoint): Promise<Panel> {
  const secret = newSecret();
  const saving = save(view, withEndpoint(view, id, { newSecret: secret }));
  return showSecret(view, saving, { url: textOf(stated['url']), secret });
}

/** A secret in the form of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The stated endpoints with changes of one. What is undefined is left out. */
function withEndpoint(view: ListingView, id: string, changes: JsonObject): readonly JsonObject[] {
  return endpointsIn(view).map(({ stated, ...each }) => {
    if (each.id !== id) return stated;
    return Object.fromEntries(Object.entries({ ...stated, ...changes }).filter(([, value]) => value !== undefined));
  });
}

function save(view: ListingView, endpoints: readonly JsonObject[]) {
  return view.save([['webhooks', endpoints]]);
}

/** The secret, once; a form that is sent again has made none. */
async function showSecret(
  view: ListingView,
  saving: ReturnType<typeof save>,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<Panel> {
  const { services, guildId, text } = view;
  const result = await saving;
  const current = (await view.refreshed()).of(view.listing);
  const [listing] = (await services.settings.open(guildId)).listings;
  const secrets = listing && webhookEndpoints.in(listing).find((each) => each.url === url)?.secrets;
  if (result.status !== 'saved' || !secrets?.includes(secret)) return renderSaved(current, result, origin);
  const host = escapeName(hostOf(url), 80);
  const options = { w: endpointId(url) };
  const isReplaced = secrets.length > 1;
  return panel(
    'good',
    isReplaced ? text('setup.webhooks.secretTitle', { host }) : text('setup.webhooks.addedTitle', { host }),
    [
      codeBlock(secret),
      lines(
        isReplaced ? text('setup.webhooks.rotated') : text('setup.webhooks.verify'),
        subtext(text('setup.link.once')),
      ),
    ],
    [
      view.button('sendTest', 'webhook-test', options, 'primary'),
      isReplaced && view.button('dropSecrets', 'webhook-drop', options),
      view.button('undo', 'undo', { id: result.change.id }),
      view.sectionButton('webhooks'),
    ],
  );
}

async function sendTest(view: ListingView, endpoint: ListedEndpoint): Promise<Panel> {
  const { services, guildId, text } = view;
  const result = await services.endpoints.test(guildId, endpoint.id);
  if (result === null) return renderWebhooks(view);
  if (result.status !== 'sent') {
    const key = result.status === 'waiting' ? 'testWaiting' : 'tooManyTests';
    return renderEndpoint(view, endpoint, { note: text(`setup.webhooks.${key}`), tone: 'wait' });
  }
  const { status, error, durationMs: duration } = result.attempt;
  const reason = escapeName(error ?? '', maxReasonLength);
  return error === null
    ? renderEndpoint(view, endpoint, {
        note: text('setup.webhooks.tested', { status: bold(escapeName(String(status))), duration }),
        tone: 'good',
      })
    : renderEndpoint(view, endpoint, { note: text('setup.webhooks.notTested', { reason, duration }), tone: 'bad' });
}

async function resume(view: ListingView, endpoint: ListedEndpoint): Promise<Panel> {
  await view.services.endpoints.resume(view.guildId, endpoint.id);
  return renderEndpoint(view, endpoint);
}

async function resend(view: ListingView, endpoint: ListedEndpoint): Promise<Panel> {
  const { text } = view;
  const count = (await view.services.endpoints.resend(view.guildId, endpoint.id)) ?? 0;
  const note = count === 0 ? text('setup.webhooks.noneFailed') : text('setup.webhooks.resent', { count });
  return renderEndpoint(view, endpoint, { note });
}

async function renderAttempts(view: ListingView, endpoint: ListedEndpoint): Promise<Panel> {
  const { services, guildId, text } = view;
  const { attempts = [] } = (await services.endpoints.attempts(guildId, endpoint.id, maxShownAttempts)) ?? {};
  return panel(
    'plain',
    endpoint.name,
    [
      attempts.length === 0
        ? text('setup.webhooks.noAttempts')
        : lines(...attempts.map((attempt) => attemptText(attempt, text))),
    ],
    [view.button('open', 'webhook', { w: endpoint.id }), view.sectionButton('webhooks')],
  );
}

function attemptText({ at, type, status, error, durationMs }: WebhookAttempt, text: Texts['text']): Markup {
  const values = { time: timestamp(at, 'R'), type: escapeName(type), duration: durationMs };
  const shown = status === null ? text('setup.webhooks.noResponse') : bold(escapeName(String(status)));
  const line = text('setup.webhooks.attempt', { ...values, status: shown });
  return error === null ? line : lines(line, subtext(escapeName(error, maxReasonLength)));
}

function confirmRemoval(view: ListingView, endpoint: ListedEndpoint): Panel {
  const { text } = view;
  return panel(
    'bad',
    text('setup.webhooks.removeTitle', { host: endpoint.name }),
    [text('setup.webhooks.remove')],
    [
      view.button('remove', 'webhook-removed', { w: endpoint.id }, 'danger'),
      view.sectionButton('webhooks', text('setup.buttons.cancel')),
    ],
  );
}

function removeEndpoint(view: ListingView, { id }: ListedEndpoint): Promise<Panel> {
  const others = endpointsIn(view).filter((each) => each.id !== id);
  const stated = others.map((each) => each.stated);
  return showSaved(view, save(view, stated), origin);
}
