import { systemClock } from '@tallyhook/platform/clock';
import { parseJson } from '@tallyhook/platform/json';
import { createLog } from '@tallyhook/platform/log';
import { createRedactor } from '@tallyhook/platform/redactor';
import { sample } from '@tallyhook/platform/testing/sample';
import * as markup from '@tallyhook/platform/texts/markup';
import * as truncate from '@tallyhook/platform/truncate';
import { normalizeLine, normalizeText } from '@tallyhook/platform/truncate';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { isCrossSite } from '@tallyhook/platform/web/cross-site';
import { hasFormToken } from '@tallyhook/platform/web/form-token';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { html } from '@tallyhook/platform/web/html';
import { findFlashMessage } from '@tallyhook/platform/web/page-frame';
import { createSessionCookie } from '@tallyhook/platform/web/session-cookie';
import { isPublic, readTargetUrl } from '@tallyhook/platform/webhooks/target';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { describeConfig } from '../config/describe.ts';
import { listingsFile } from '../config/listings-file.ts';
import { loadConfig } from '../config/load.ts';
import { settingNames } from '../config/settings.ts';
import { reviewsQuery, votesPath } from '../packages/listing-service/src/api/operations.ts';
import { deliveryLogQuery } from '../packages/listing-service/src/pages/dashboard/delivery-routes.ts';
import {
  keyForm,
  listingForm,
  newListingForm,
  readForm,
  replyForm,
  reviewForm,
  serverForm,
  webhookForm,
} from '../packages/listing-service/src/pages/forms.ts';
import { homeQuery } from '../packages/listing-service/src/pages/home-page.ts';
import { readImageHeader } from '../packages/listing-service/src/pages/icon-routes.ts';
import { reportForm } from '../packages/listing-service/src/pages/review-routes.ts';
import { commandSchema } from '../packages/local-discord/src/command-schema.ts';
import { defaultGuild } from '../packages/local-discord/src/default-guild.ts';
import { withoutToken } from '../packages/local-discord/src/diagnostics.ts';
import { DiscordState } from '../packages/local-discord/src/discord-state.ts';
import { messageSchema } from '../packages/local-discord/src/message-schema.ts';
import { findMentions } from '../packages/local-discord/src/messages.ts';
import { parseCommandLine } from '../packages/local-discord/src/page/browser/suggestions.ts';
import { createRouteMatcher, decodePath, ok, route } from '../packages/local-discord/src/rest.ts';
import { formats } from '../src/cli/backup.ts';
import { evaluateSecrets } from '../src/cli/doctor/listings.ts';
import {
  createKeyReader,
  findColumns,
  interpretRow,
  parseMapping,
  type RowRules,
  suggestTemplate,
} from '../src/cli/import/interpret-row.ts';
import { createCsvParser, recognizeFormat } from '../src/cli/import/read-rows.ts';
import { mergeEnv } from '../src/cli/init/init-command.ts';
import { findUsername } from '../src/core/records/username.ts';
import { searchChoices } from '../src/discord/commands/choices.ts';
import type { Panel } from '../src/discord/commands/reply.ts';
import { foundBlocks } from '../src/discord/posting.ts';
import { decodeCustomId } from '../src/discord/rendering/components.ts';
import { renderContainer, renderEmbed } from '../src/discord/rendering/message.ts';
import { bodyWithoutGiver } from '../src/features/member-data/store.ts';
import { splitCodes, withFileCodes } from '../src/features/shop/settings.ts';
import { asSentence } from '../src/features/traces/delivery-details.ts';
import {
  botProfileResponse,
  reviewsResponse,
  serverProfileResponse,
  voteStatusResponse,
} from '../src/lookup/endpoints.ts';
import { createQuote, errorForResponse } from '../src/lookup/http.ts';
import { prettyJson, visible } from '../src/owner/console/cells.ts';
import { lastSegmentWithoutSlash } from '../src/owner/console/middleware.ts';
import { consoleMessages, relativeRoot } from '../src/owner/console/render-page.ts';
import { markupHtml } from '../src/owner/console/settings/markup-html.ts';
import { nextPage } from '../src/owner/console/sign-in.ts';
import {
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  leaderboardQuery,
  parseRequest,
  readIdempotencyKey,
  userParameter,
} from '../src/owner/request-schemas.ts';
import { describeDelivery } from '../src/sandbox/deliveries.ts';
import { textsIn } from '../src/texts/texts.ts';
import { readPayload } from '../src/webhook/payload.ts';
import { sign } from '../src/webhook/signature.ts';
import { isEncoded, reserialised } from '../src/webhook/signed-form.ts';
import { authenticate } from '../src/webhook/sites/authenticate.ts';
import { service } from '../src/webhook/sites/index.ts';
import { readHeader } from '../src/webhook/verification/request.ts';
import {
  countBlocks,
  countBuiltInWork,
  findSuperlinearGrowth,
  type RepeatedText,
  stopCountingBlocks,
} from './support/growth.ts';
import { voteSecret } from './support/listings.ts';
import { settings, unreachableDiscord } from './support/settings.ts';

// Before V8 compiles the functions.
await vi.hoisted(async () => (await import('./support/growth.ts')).startCountingBlocks());

/** Texts to repeat: parts of markup, URLs, JSON, headers and dates. */
const units = [
  ...['\n', '\r', '\t', ' ', '\u0301', '\u200d', '\u{1f1e9}', ' \n', '\r\n', '_a ', '> a\n', '- a\n', ':a '],
  ...'/ \\ * _ a 😀 0 " \' ` < > [ ] ( ) { } @ # - . , : ; = & % ~ | ? ! + T é'.split(' '),
  ...'\\" \\\\" [a]( ]( **a ||a <@1 <a: ``` a. a: // @a 1. {} [[ {"a": %20 %f0 &a= https:// /webhooks/1'.split(' '),
  ...['😀\u200d', 'e\u0301'],
];

/** Every unit repeated, with a final character that makes an almost complete match fail. */
const hostileInputs: readonly RepeatedText[] = units.map((unit) => ({
  name: `${JSON.stringify(unit)} repeated`,
  of: (length) => `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 1)}\0`,
}));

const noNames = { member: () => null, role: () => null, channel: () => null, listing: () => null };
const now = Date.UTC(2026, 0, 1);
const sessionCookie = createSessionCookie({ name: 'session', key: 'key', lifetimeMs: 60_000, sameSite: 'strict' });
const discordState = new DiscordState(defaultGuild({}), {
  clock: systemClock,
  stopwatch: systemClock,
  stopped: AbortSignal.abort(),
});
const findRoute = createRouteMatcher([route('GET', '/guilds/:guildId/members/:userId', () => ok({}))]);
const log = createLog({ level: 'info', secrets: ['secret-of-tests'], destination: { write: () => {} } });
const rowRules: RowRules = {
  columns: { user: 'user', credits: 'points', time: 'time', listing: 'listing' },
  ...{ rowsAre: 'votes', readKey: null, guildId: null, listing: 'a', listings: ['a'], votesAt: null, round: true, now },
  decimal: null,
};
const readCsv = (text: string) => {
  const parser = createCsvParser(',');
  // It works at once; the result follows.
  return parser.push(text).catch(() => {});
};
const option = { type: 3, name: 'text', description: 'text' };
const command = commandSchema.parse({ type: 1, name: 'say', description: 'say', options: [option] });

/** Creates an object whose fields all have the same value. `names` is separated by spaces. */
function withFields(names: string, text: unknown): Record<string, unknown> {
  return Object.fromEntries(names.split(' ').map((name) => [name, text]));
}

/**
 * Every function that parses external text. Add a row for each new function. Independent fields all get the same text.
 * Errors are ignored.
 */
const functions: readonly (readonly [name: string, run: (text: string) => unknown])[] = [
  // Deliveries
  ['the JSON of a delivery', (text) => parseJson(text)],
  ['the fields of a vote', (text) => readPayload({ ...vote(text), event: 'server_vote' }, { premiumPath: false, now })],
  ['the time of a vote', (text) => readPayload({ event: 'server_vote', userId: '1', timestamp: text }, payload)],
  ['the fraction of a time', (text) => readPayload(voteAt(`2026-01-01T00:00:00.${text}Z`), payload)],
  ['the reason of a denial', (text) => readPayload({ ...voteAt(null), creditDenialReason: text }, payload)],
  ['the kind of an event', (text) => readPayload({ ...vote(text), event: text }, payload)],
  ['the fields of a purchase', (text) => readPayload({ ...purchase(text), event: 'premium_purchase' }, payload)],
  ['the signature of a delivery', (text) => authenticated(text, { 'x-webhook-signature': sign(text, voteSecret) })],
  [
    'a wrong signature',
    (text) => authenticated(JSON.stringify({ text }, null, 2), { 'x-webhook-signature': '0'.repeat(64) }),
  ],
  ['a signature', (text) => authenticated('{}', { 'x-webhook-signature': text })],
  ['the encoding of a delivery', (text) => isEncoded(text)],
  ['a header of a delivery', (text) => readHeader({ [text]: text, 'X-Name': [text, text] }, 'x-name')],
  ['the body of a delivery', (text) => reserialised({ text, [text]: [text] })],

  // Texts in Discord
  ['escapeText', (text) => markup.escapeText(text, text.length / 4)],
  ['escapeName', (text) => markup.escapeName(text, text.length / 4)],
  ['escapeText with a limit', (text) => markup.escapeText(text, 950)],
  ['plainName', (text) => truncate.plainName(text, text.length - 1)],
  ['escapeInline', (text) => markup.escapeInline(text, text.length - 1)],
  ['cut', (text) => truncate.cut(text, text.length - 1)],
  ['cutMarkup', (text) => markup.cutMarkup(asMarkup(text), text.length - 1)],
  ['link', (text) => markup.link(markup.escapeName('label'), text)],
  ['webAddress', (text) => markup.webAddress(text)],
  ['the host of a link', (text) => markup.webAddress(`https://${text}`)],
  ['mention', (text) => markup.mention(text)],
  ['renderEmbed', (text) => renderEmbed({ tone: 'plain', title: asMarkup(text), text: asMarkup(text), footer: text })],
  [
    'the body of a gift',
    (text) => bodyWithoutGiver(JSON.stringify(withFields('recipient orderId giftedBy', text)), '1'),
  ],
  ['the name of a listing', (text) => searchChoices(text, listingNames)],
  ['renderContainer', (text) => renderContainer(panelOf(text), null)],
  ['an announcement in a channel', (text) => foundBlocks.parse({ components: [{ components: [{ content: text }] }] })],
  ['the id of a button', (text) => decodeCustomId(text)],
  ['the options of a button', (text) => decodeCustomId(`tallyhook:reviews:${text}`)],
  ['the action of a button', (text) => decodeCustomId(`tallyhook:shop/${text}`)],

  // Responses of the lookup API
  ['the profile of a server', (text) => serverProfileResponse.safeParse(profile(text))],
  ['the profile of a bot', (text) => botProfileResponse.safeParse(profile(text))],
  ['the address of a listing', (text) => botProfileResponse.safeParse({ name: 'a', url: `https://${text}` })],
  ['a vote status', (text) => voteStatusResponse(now).safeParse(status(text))],
  [
    'reviews',
    (text) => reviewsResponse.safeParse({ data: [withFields('username rating comment createdAt', text)], meta: text }),
  ],
  ['an error response', (text) => rateLimited(text)],

  // The owner's API and console
  ['the address of a client', (text) => clientKeyOf(text)],
  ['an IPv6 address of a client', (text) => clientKeyOf(`[${text}]:1`)],
  ['the redirect to a slash', (text) => lastSegmentWithoutSlash(text)],
  ['the depth of a page', (text) => relativeRoot(text)],
  ['the origin of a form', (text) => isCrossSite({ origin: text, host: text })],
  [
    'the query of deliveries',
    (text) => parseRequest(deliveriesQuery, withFields('limit before outcome kind listing user since until', text)),
  ],
  ['the query of effects', (text) => parseRequest(effectsQuery, { state: text, [text]: text })],
  ['the id of a member', (text) => parseRequest(userParameter, { userId: text })],
  ['the query of a leaderboard', (text) => parseRequest(leaderboardQuery, withFields('limit before period by', text))],
  ['a correction', (text) => parseRequest(correctionRequest, { credits: 1, reason: text })],
  ['the key of a correction', readIdempotencyKey],
  ['a session cookie', (text) => sessionCookie.read(`session=${text}; ${text}`, 0)],
  ['a form token', (text) => hasFormToken({ token: text }, { formToken: 'token' })],
  ['a flash message', (text) => findFlashMessage(consoleMessages(textsIn('en-US')), text)],
  ['the page after signing in', (text) => nextPage.parse(text)],
  ["Discord's markup on a page", (text) => markupHtml(text, noNames)],
  ['the name of a member in a payload', (text) => findUsername({ voter: { userId: '1', username: text } }, '1')],
  ['pretty JSON', (text) => prettyJson(text)],
  ['pretty JSON of strings', (text) => prettyJson(JSON.stringify([text, text]))],
  ['pretty JSON of an unterminated string', (text) => prettyJson(`"${text}`)],
  ['invisible characters', (text) => visible(text)],
  ['a reason', (text) => asSentence(text)],
  ['the host of a page', (text) => isOwnHost(text, 'http://127.0.0.1')],
  ['a page', (text) => html`<p title="${text}">${text}</p>`],

  // The listing service
  ['the path of votes', (text) => votesPath.safeParse({ userId: text })],
  ['a name', (text) => normalizeLine(text)],
  ['a text of paragraphs', (text) => normalizeText(text)],
  ['the query of reviews', (text) => reviewsQuery.safeParse({ limit: text, sort: text })],
  ['the form of a review', (text) => readForm(reviewForm, { rating: text, comment: text })],
  ['the form of a listing', (text) => readForm(listingForm, { name: text, description: text, tags: text })],
  ['the form of a server', (text) => readForm(serverForm, { category: text, rules: text })],
  ['the form of a new listing', (text) => readForm(newListingForm, { id: text, name: text, description: text })],
  ['the form of a reply', (text) => readForm(replyForm, { reply: text })],
  ['the form of a report', (text) => readForm(reportForm, { reason: 'spam', text })],
  [
    'the query of the home page',
    (text) => homeQuery.parse({ q: text, tag: text, kind: text, category: text, sort: text, page: text }),
  ],
  ['the query of deliveries', (text) => deliveryLogQuery.parse({ state: text, family: text, before: text })],
  ['a picture', (text) => readImageHeader(Buffer.from(`\xff\xd8${text}`, 'latin1'))],
  ['the form of a webhook', (text) => readForm(webhookForm, { url: text, secret: text })],
  ['the form of a key', (text) => readForm(keyForm, { label: text })],
  ['the target URL of a webhook', (text) => readTargetUrl(text, { allowLoopback: false })],
  ['the host of a target URL', (text) => readTargetUrl(`https://${text}`, { allowLoopback: false })],
  ['an address from the DNS', (text) => isPublic(text)],

  // The local Discord and its page
  [
    'the title of a delivery',
    (text) => describeDelivery(Buffer.from(JSON.stringify(withFields('event userId', text))), () => text),
  ],
  ['a message', (text) => messageSchema.safeParse({ ...withFields('content nonce', text), embeds: [embed(text)] })],
  ['a command', (text) => commandSchema.safeParse({ ...command, name: text, description: text })],
  ['mentions', (text) => findMentions(discordState, text, null)],
  ['a path', (text) => findRoute('GET', text)],
  ['a path with ids', (text) => findRoute('GET', `/guilds/${text}/members/${text}`)],
  ['a path without its token', (text) => withoutToken(`/webhooks/1/${text}`)],
  ['a decoded path', (text) => decodePath(text)],
  ['a typed command', (text) => parseCommandLine(`/say ${text}`, suggestions)],
  ['the options of a typed command', (text) => parseCommandLine(`/say text:${text}`, suggestions)],

  // Settings, the log and the export
  ...settingNames.map((name) => [`the setting ${name}`, (text: string) => loadConfig({ [name]: text })] as const),
  ['a database with a password', (text) => loadConfig({ CACHE_URL: `redis://user:${text}@host` })],
  [
    'the description of the settings',
    (text) => describeConfig(withFields(settingNames.join(' '), text) as Record<string, string>),
  ],
  ['the listings file', (text) => listingsFile.safeParse({ listings: [listing(text)] })],
  ['the codes of a shop', (text) => readCodes(text)],
  ['the codes of a file', (text) => splitCodes(text, 'codes.txt')],
  ['the evaluation of a secret', (text) => evaluateSecrets(configWith(text))],
  ['redaction of a text', (text) => createRedactor(['aaaaaaaa', '////////', '\\\\\\\\', text.slice(0, 16)])(text)],
  ['redaction of a secret', (text) => createRedactor([text])(`${text}${text}`)],
  ['a line of the log', (text) => log.info({ text, err: new Error(text) }, text)],
  ['rows of CSV', (text) => readCsv(`user,points\n${text}`)],
  ['a quoted field of CSV', (text) => readCsv(`"${text}"`)],
  ['a row of an import', (text) => interpretRow(withFields('user points time listing', text), rowRules)],
  ['a key with an id', (text) => createKeyReader('points_{guild}_{user}')(`points_${text}`)],
  ['the template of a key', (text) => suggestTemplate(text)],
  ['the columns of an import', (text) => findColumns([{ [text]: text, id: '613425648685547541' }], {}, false)],
  ['the mapping of columns', (text) => parseMapping(`user=${text},${text}`)],
  ['the format of a file', (text) => recognizeFormat('votes', text)],
  ['a file .env', (text) => mergeEnv(`A=${text}\n${text}`, new Map([['PORT', text]]))],
  ['a line of CSV', (text) => formats.csv.formatEntry({ ...entry, reason: text })],
  ['a line of JSON', (text) => formats.jsonl.formatEntry({ ...entry, reason: text })],
];

function authenticated(body: string, headers: Readonly<Record<string, string>>) {
  const delivery = { readHeader: (name: string) => headers[name], body: Buffer.from(body) };
  return authenticate(service, delivery, { secrets: [voteSecret] }, now);
}

const payload = { premiumPath: false, now };
const entry = {
  id: 1,
  userId: '1',
  listing: 'server',
  credits: 1,
  cause: 'vote',
  at: now,
  deliveryId: 1,
  guildId: null,
} as const;
const suggestions = { commands: [command], members: [], channels: [], roles: [] };

function voteAt(timestamp: string | null) {
  return { event: 'server_vote', userId: '1', timestamp };
}

function vote(text: string) {
  return {
    ...withFields('userId serverId botId creditsAwarded creditDenialReason timestamp type', text),
    ...withFields('voter server bot', { userId: text, id: text }),
  };
}

function purchase(text: string) {
  return {
    ...withFields('orderId purchaseId timestamp currentPeriodEnd giftedBy targetType', text),
    tier: { name: text, id: text },
    vendor: { type: text, id: text },
    buyer: { userId: '1' },
    ...withFields('orderId', text.slice(0, 200)),
  };
}

function profile(text: string) {
  return { ...withFields('id name description category url votes', text), tags: [text, text] };
}

function status(text: string) {
  return { canVote: false, ...withFields('nextVoteDate lastVoteDate secondsUntilVote', text) };
}

function rateLimited(text: string) {
  return errorForResponse({
    request: 'GET /server',
    status: 429,
    retryAfter: text,
    body: text,
    badRequestCause: 'bad parameter',
    quote: createQuote('the-key'),
    now,
  });
}

function embed(text: string) {
  return {
    ...withFields('title description url timestamp', text),
    fields: [{ name: text, value: text }],
    image: { url: text },
  };
}

function listing(text: string) {
  return {
    kind: 'server',
    ...withFields('name id lookupKey voteAuthorization announceChannelId', text),
    voteSecrets: [text],
    ...withFields('guildId timeZone ownerChannelId', text),
    rewards: {
      multipliers: [{ factor: 2, days: [text], ...withFields('from until role', text) }],
      milestones: [{ votes: 1, role: text }],
      voterRole: { role: text, for: text },
      premiumRoles: { [text]: text },
    },
    announcements: withFields('mode every title text colour thumbnail lostStreaks language', text),
    shop: [{ price: 1, codes: [text], ...withFields('id name role for codesFile needsRole', text) }],
  };
}

/** Every word of the text is a code. */
function readCodes(text: string) {
  const item = { id: 'key', name: 'Key', price: 1, codes: text.split(/(?=[ \n])/) };
  return withFileCodes([item], { setting: 'shop', directory: '.', issues: [], secretFiles: [] });
}

const config = loadConfig(settings(unreachableDiscord));

function configWith(text: string) {
  return { ...config, listings: config.listings.map((each) => ({ ...each, voteSecrets: [text] })), ownerToken: text };
}

/** Markup is escaped by its type; these functions must also handle unescaped text in linear time. */
const listingNames = ['harbour', 'old-harbour'].map((name) => ({ name, value: name }));
function panelOf(text: string): Panel {
  const blocks = [{ kind: 'text', text: asMarkup(text) } as const, { kind: 'text', text: asMarkup(text) } as const];
  return { kind: 'panel', tone: 'plain', title: asMarkup(text), blocks, footer: text };
}

function asMarkup(text: string): markup.Markup {
  return text as markup.Markup;
}

const checked = [...sample(functions)];

describe('every function that parses external text runs in linear time', { timeout: 120_000 }, () => {
  describe('by the blocks that it runs', () => {
    afterAll(stopCountingBlocks);

    it.each(checked)('%s', (_name, run) => {
      expect(findSuperlinearGrowth(countBlocks, run, hostileInputs)).toBe(null);
    });
  });

  describe('by what built-in functions and regular expressions do', () => {
    it.each(checked)('%s', (_name, run) => {
      expect(findSuperlinearGrowth(countBuiltInWork, run, hostileInputs)).toBe(null);
    });
  });
});
