import { second } from '@tallyhook/platform/durations';
import type { Scope } from '../commands.ts';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse } from '../errors.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import { callbackType } from '../interactions.ts';
import { findLocalized, type Locale, type Localizations } from '../locales.ts';
import { messageFlag } from '../message-flags.ts';
import { done, ok, type Route, routeWith } from '../rest.ts';

interface Localizable {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description_localizations?: Localizations;
  readonly options?: readonly Localizable[] | null | undefined;
  readonly choices?: readonly Localizable[] | null | undefined;
}

/**
 * A command as a list of commands contains it: instead of the dictionaries only `name_localized` and
 * `description_localized` for the requester's locale, if they have it. Discord: "Retrieving localized commands".
 */
function withLocalizedFields(part: Localizable, locale: Locale): object {
  const { name_localizations: names, description_localizations: descriptions, options, choices, ...rest } = part;
  const name = findLocalized(names, locale);
  const description = findLocalized(descriptions, locale);
  return {
    ...rest,
    ...(name === undefined ? {} : { name_localized: name }),
    ...(description === undefined ? {} : { description_localized: description }),
    ...(options ? { options: options.map((each) => withLocalizedFields(each, locale)) } : {}),
    ...(choices ? { choices: choices.map((each) => withLocalizedFields(each, locale)) } : {}),
  };
}

/** Registration of commands, globally and per guild. Discord: "Application Commands", endpoints. */
export function commandRoutes(store: DiscordStore): Route[] {
  return [
    ...scopedRoutes('/applications/:applicationId/commands', store),
    ...scopedRoutes('/applications/:applicationId/guilds/:guildId/commands', store),
  ];
}

type Ids = Readonly<Record<string, string>>;

/** The endpoints of one scope; both scopes have the same ones. */
function scopedRoutes(base: string, { state, commands }: DiscordStore): Route[] {
  const route = routeWith({
    check({ applicationId, guildId = state.guildId }) {
      if (applicationId !== state.applicationId) throw errorResponse.unknownApplication();
      if (guildId !== state.guildId) throw errorResponse.missingAccess();
    },
  });
  const one = `${base}/:commandId`;
  const scopeOf = (ids: Ids): Scope => ids['guildId'] ?? null;
  const commandId = (ids: Ids) => ids['commandId'] ?? '';
  return [
    route('GET', base, ({ ids, query, locale }) => {
      const all = commands.list(scopeOf(ids));
      const isComplete = query.get('with_localizations') === 'true';
      return ok(isComplete ? all : all.map((command) => withLocalizedFields(command, locale)));
    }),
    route('PUT', base, ({ ids, body }) => ok(commands.overwrite(scopeOf(ids), body))),
    route('POST', base, ({ ids, body }) => {
      const { command, created } = commands.upsert(scopeOf(ids), body);
      return { status: created ? 201 : 200, body: command };
    }),
    route('GET', one, ({ ids }) => ok(commands.get(scopeOf(ids), commandId(ids)))),
    route('PATCH', one, ({ ids, body }) => ok(commands.update(scopeOf(ids), commandId(ids), body))),
    route('DELETE', one, ({ ids }) => done(commands.delete(scopeOf(ids), commandId(ids)))),
  ];
}

/** Responses to interactions. Discord: "Receiving and Responding", endpoints. */
export function interactionRoutes({ state }: DiscordStore, callbacks: InteractionCallbacks): Route[] {
  const callbackRoute = routeWith({ needsBot: false });
  const tokenRoute = routeWith({
    needsBot: false,
    limit: { count: 5, windowMs: 2 * second },
    check({ applicationId }) {
      if (applicationId !== state.applicationId) throw errorResponse.unknownWebhook();
    },
  });
  const messagePath = '/webhooks/:applicationId/:token/messages/:messageId';
  return [
    callbackRoute('POST', '/interactions/:interactionId/:token/callback', ({ ids, query, body, files }) => {
      const result = callbacks.respond(ids.interactionId, ids.token, body, files);
      return query.get('with_response') === 'true' ? ok(callbackResponse(result)) : done();
    }),
    tokenRoute('POST', '/webhooks/:applicationId/:token', ({ ids, body, files }) =>
      ok(callbacks.followUp(ids.token, body, files)),
    ),
    tokenRoute('GET', messagePath, ({ ids }) => ok(callbacks.message(ids.token, ids.messageId))),
    tokenRoute('PATCH', messagePath, ({ ids, body, files }) =>
      ok(callbacks.edit(ids.token, ids.messageId, body, files)),
    ),
    tokenRoute('DELETE', messagePath, ({ ids }) => done(callbacks.delete(ids.token, ids.messageId))),
  ];
}

/** Discord: "Interaction Callback Response Object". Only a message that is sent or edited is a resource. */
function callbackResponse({ interaction, callback, message }: ReturnType<InteractionCallbacks['respond']>) {
  const flags = message?.flags ?? 0;
  const carriesMessage = callback.type === callbackType.message || callback.type === callbackType.update;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message && {
        response_message_id: message.id,
        response_message_loading: (flags & messageFlag.loading) !== 0,
        response_message_ephemeral: (flags & messageFlag.ephemeral) !== 0,
      }),
    },
    ...(carriesMessage && { resource: { type: callback.type, message } }),
  };
}
