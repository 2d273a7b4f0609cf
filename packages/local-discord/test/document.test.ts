import { systemClock } from '@tallyhook/platform/clock';
import { describe, expect, it } from 'vitest';
import { defaultGuild } from '../src/default-guild.ts';
import type { HttpExchange } from '../src/diagnostics.ts';
import { createStore } from '../src/discord-store.ts';
import { InteractionCallbacks } from '../src/interaction-callbacks.ts';
import { createSigningKey, OutgoingInteractions } from '../src/outgoing-interactions.ts';
import { allRoutes } from '../src/routes/all.ts';
import { findOperation, operationCount } from '../testing/discord-document.ts';
import { exceptions } from '../testing/discord-exceptions.ts';
import { schemaByName } from '../testing/discord-types.ts';
import { validateDispatch, validateExchange } from '../testing/discord-validation.ts';
import { findSchemaErrors } from '../testing/schema-errors.ts';

const timing = { clock: systemClock, stopwatch: systemClock, stopped: AbortSignal.abort() };
const store = createStore(defaultGuild({}), timing, 'http://127.0.0.1');
const { state, messages, files } = store;
const answering = new InteractionCallbacks(store);
const outgoing = new OutgoingInteractions(state, answering, createSigningKey(), undefined);
const routes = allRoutes(store, answering, outgoing, 'ws://x');

const [channel] = state.guildChannels();
const channelId = channel?.id ?? '';
const sent = messages.create({
  channel: channel as NonNullable<typeof channel>,
  content: files.attach([], { content: 'hi' }),
});

/** A valid exchange with some changes. */
function exchange(changes: Partial<HttpExchange>): HttpExchange {
  const path = `/channels/${channelId}/messages`;
  const asked = { at: 0, method: 'POST', path, query: '', headers: {}, body: { content: 'hi' } };
  return { ...asked, status: 200, response: sent, ...changes };
}

describe("Discord's document", () => {
  it('is parsed completely', () => {
    expect(operationCount).toBeGreaterThan(200);
  });

  // It has no endpoints of OAuth2 itself.
  const documented = routes.filter(({ path }) => !path.startsWith('/oauth2/token'));
  it.each(documented.map(({ method, path }) => [method, path]))('describes %s %s', (method, path) => {
    const operation = findOperation(method, path.replaceAll(/:\w+/g, '1'));
    const plainOf = (template: string) => template.replaceAll(/:\w+|\{\w+\}/g, '_');
    expect(plainOf(operation?.name ?? '')).toBe(plainOf(`${method} ${path}`));
    expect([...(operation?.responses.keys() ?? [])]).toContain('4XX');
  });

  it('matches the more specific path first', () => {
    expect(findOperation('GET', '/users/@me')?.name).toBe('GET /users/@me');
    expect(findOperation('GET', '/users/1')?.name).toBe('GET /users/{user_id}');
  });
});

describe('the check against the document', () => {
  it('accepts valid exchanges', () => {
    expect(validateExchange(exchange({}))).toEqual([]);
    expect(validateExchange(exchange({ method: 'GET', query: 'limit=5', body: undefined, response: [sent] }))).toEqual(
      [],
    );
    expect(validateDispatch({ op: 0, t: 'MESSAGE_CREATE', s: 1, d: { ...sent, guild_id: state.guildId } })).toEqual([]);
  });

  it.each<[string, Partial<HttpExchange>, RegExp]>([
    ['a request of the wrong type', { body: { content: 5 } }, /request: content: .*expected string/],
    ['a request with an unknown field', { body: { content: 'hi', allowedMentions: {} } }, /allowedMentions/],
    [
      'an error in a nested union',
      { body: { components: [{ type: 1, components: [{ type: 2, style: 'blue' }] }] } },
      /request: components.0.components.0.style/,
    ],
    ['a request without a body', { body: undefined }, /request: /],
    ['an unknown query parameter', { query: 'wait=true' }, /query: .*"wait"/],
    [
      'a query parameter that is not a number',
      { method: 'GET', query: 'limit=all', body: undefined, response: [] },
      /query: limit/,
    ],
    ['a response with a missing field', { response: { ...sent, author: undefined } }, /response 200: author/],
    ['a response with an unknown field', { response: { ...sent, colour: 1 } }, /response 200: colour/],
    [
      'a response body where none is allowed',
      { method: 'DELETE', path: `/channels/1/messages/1`, body: undefined, status: 204, response: {} },
      /response 204/,
    ],
    ['an undocumented status', { status: 202 }, /response 202/],
    [
      'an error response without a code',
      { status: 403, response: { message: 'Missing Access' } },
      /response 403: code/,
    ],
    ['an unknown operation', { path: '/channels/1/message' }, /is not in the document/],
  ])('rejects %s', (_what, changes, message) => {
    expect(validateExchange(exchange(changes))).toEqual([expect.stringMatching(message)]);
  });

  it('accepts an invalid request body that was rejected as such', () => {
    const rejection = { status: 400, response: { code: 50035, message: 'Invalid Form Body' } };
    expect(validateExchange(exchange({ body: { content: 5 }, ...rejection }))).toEqual([]);
    expect(
      validateExchange(exchange({ body: { content: 5 }, status: 500, response: { code: 0, message: '' } })),
    ).toHaveLength(1);
  });

  it('accepts the fields of the alternative of a union that has them all, and no others', () => {
    const edit = { path: '/channels/1', method: 'PATCH', status: 404, response: { code: 10003, message: '' } };
    expect(validateExchange(exchange({ ...edit, body: { name: 'a', archived: true } }))).toEqual([]);
    expect(validateExchange(exchange({ ...edit, body: { name: 'a', archived: true, colour: 1 } }))).toEqual([
      expect.stringContaining('colour'),
    ]);
  });

  it('rejects an invalid object in a dispatch', () => {
    const d = { ...sent, pinned: 'no' };
    expect(validateDispatch({ op: 0, t: 'MESSAGE_UPDATE', s: 1, d })).toEqual([expect.stringContaining('pinned')]);
  });

  it.each<[string, string, string, unknown]>([
    [
      'codes that are strings',
      'x response 400',
      'ErrorResponse',
      { code: 1, message: '', errors: { a: { _errors: [{ code: 'B', message: '' }] } } },
    ],
    ['offsets', 'x response 200', 'MessageResponse', sent],
    ['limits without a code', 'x response 429', 'RatelimitedResponse', { message: '', retry_after: 1, global: false }],
    [
      'permissions as digits',
      'x request',
      'ApplicationCommandCreateRequest',
      { type: 1, name: 'a', description: 'b', default_member_permissions: '8' },
    ],
    ['fields that discord.js adds', 'x request', 'MessageEditRequestPartial', { content: 'hi', enforce_nonce: false }],
    ['numbers of attachments', 'x request', 'MessageEditRequestPartial', { attachments: [{ id: 0 }] }],
    [
      'the type of a thread of a message',
      'POST /channels/{channel_id}/messages/{message_id}/threads request',
      'CreateTextThreadWithMessageRequest',
      { name: 'a', type: 11 },
    ],
    ['nsfw', 'x request', 'ApplicationCommandCreateRequest', { type: 1, name: 'a', description: 'b', nsfw: true }],
  ])('has an exception for %s that is still needed', (_what, at, type, value) => {
    expect(findSchemaErrors(at, schemaByName(type), value, (_at, unchanged) => unchanged)).toHaveLength(1);
    expect(findSchemaErrors(at, schemaByName(type), value)).toEqual([]);
  });

  it('has a reason and a link for each exception', () => {
    expect(exceptions).toHaveLength(8);
    for (const { reason, link } of exceptions) expect(`${reason} ${new URL(link)}`).toMatch(/^\S.+\. https:/);
  });
});
