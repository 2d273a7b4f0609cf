import { systemClock } from '@tallyhook/platform/clock';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createLog } from '@tallyhook/platform/log';
import { systemResolve } from '@tallyhook/platform/webhooks/target';
import type { APIInteraction, APIInteractionResponse } from 'discord-api-types/v10';
import { onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import { loadConfig } from '../../config/load.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import { Interactions } from '../../src/discord/interactions/interactions.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { CommandContexts } from '../../src/features/communities/command-context.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory, createListingTargets } from '../../src/features/communities/directory.ts';
import { listingsByGuild } from '../../src/features/communities/listings.ts';
import { LookupClients } from '../../src/features/communities/lookup-clients.ts';
import { createServices } from '../../src/features/create.ts';
import { WebhookSender } from '../../src/features/events/sender.ts';
import { createVotePictures } from '../../src/features/pictures/vote-pictures.ts';
import { createAddresses } from '../../src/features/public-pages/addresses.ts';
import { createSettings } from '../../src/features/settings/in-effect.ts';
import { openStore } from '../../src/features/store.ts';
import { memoryKeyv } from '../../src/lookup/memory-keyv.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { environmentWith } from './listings-file.ts';
import { newSqliteUrl } from './new-sqlite.ts';

const manageGuild = '32';

/** Who sends an interaction, and where; a guild of null means direct messages. */
export interface Sender {
  readonly guildId: string | null;
  readonly userId: string;
  readonly channelId?: string;
  readonly isManager?: boolean;
}

/** What Discord receives: its text without layout, and the custom ids and values of the components. */
export interface Received {
  readonly text: string;
  readonly ids: readonly string[];
  /** Of the choices of selects and of autocomplete. */
  readonly values: readonly string[];
}

/**
 * All commands over a database, with the listings of a file, and interactions as Discord sends them. The listing service
 * does not respond.
 * @param hosted names of the listings that were linked in Discord
 */
export async function guildCommands(listings: readonly object[], hosted: readonly string[] = []) {
  const config = loadConfig({ ...environmentWith(listings), LOOKUP_BASE_URL: 'http://127.0.0.1:1/api/v1' });
  const log = createLog({ level: 'silent', secrets: [] });
  const clock = systemClock;
  const databaseUrl = newSqliteUrl();
  const store = await openStore(databaseUrl, clock, { thread: false });
  onTestFinished(() => store.close());
  const configured = config.listings.map((each) =>
    hosted.includes(each.name) ? { ...each, linked: true as const } : each,
  );
  const communityIds = await prepareCommunities(
    store.communityIds,
    configured.filter(({ linked }) => !linked),
  );
  await communityIds.add(configured.flatMap(({ guildId }) => guildId ?? []));
  const directory = createDirectory([], communityIds.of);
  directory.replace(listingsByGuild(configured));
  const metrics = createMetrics();
  const lookups = new LookupClients(config, { store, communityIds, cache: memoryKeyv(), metrics, clock, log });
  const drawVotePicture = createVotePictures({ timeZoneOf: () => 'UTC', votesPerDayIn: store.votesPerDayIn, log });
  const rest = createDiscordRest({ token: 'token', apiUrl: 'http://127.0.0.1:1' });
  const context = {
    config,
    languages: ownTexts,
    store,
    lookups,
    directory,
    metrics,
    clock,
    stopwatch: clock,
    log,
    rest,
    drawVotePicture,
  };
  const addresses = createAddresses({ store, directory, clock });
  const settings = createSettings(config, {
    ...{ ...context, store: store.settings, encryption: createEncryption(config.encryption, () => {}) },
    ...{ targets: createListingTargets(lookups.find), redact: null, onSaved() {} },
    addCommunities: (guildIds) => communityIds.add(guildIds),
    issuesWithOthers: addresses.issuesOf,
  });
  const services = await createServices({
    ...{ ...context, claimRecorder: store.recorder, isHandled: () => false, nudge() {} },
    replay: createReplay({ listings: () => directory.listings, recorder: store.recorder, clock }),
    ...{ setup: settings.setup, encryption: createEncryption(config.encryption, () => {}) },
    webhookSender: new WebhookSender({
      ...context,
      targets: { allowLoopback: false, resolve: systemResolve },
    }),
    findDeparted: async () => new Map(),
    async compareTargets() {},
    addresses,
  });
  const contexts = new CommandContexts({ ...context, services });
  const handler = new Interactions({
    ...{ commands, clock, log, languages: ownTexts, isOwnCommand: async () => true },
    contextFor: async (place) => ({ ...(await contexts.at(place)), commands, commandId: () => null, setup: null }),
  });
  let interactions = 400_000_000_000_000_000n;

  async function send(sender: Sender, type: 2 | 3 | 4, data: object): Promise<Received> {
    interactions += 1n;
    const { guildId, userId, channelId = '1', isManager = false } = sender;
    const user = { id: userId, username: 'mira' };
    const permissions = isManager ? manageGuild : '0';
    const origin = guildId === null ? { user } : { guild_id: guildId, member: { user, roles: [], permissions } };
    const interaction = {
      ...{ id: String(interactions), application_id: '1', token: 'token', version: 1, type, data, ...origin },
      ...{ channel: { id: channelId, type: 0 }, locale: 'en-US', app_permissions: '0', entitlements: [] },
      authorizing_integration_owners: guildId === null ? {} : { 0: guildId },
      ...(type === 3 ? { message: { id: '1', attachments: [], flags: 0 } } : {}),
    };
    const sent: unknown[] = [];
    await handler.handle(interaction as unknown as APIInteraction, {
      respond: async (response: APIInteractionResponse) => void sent.push(response),
      editOriginal: async (message) => void sent.push(message),
      followUp: async (message) => void sent.push(message),
    });
    const all = [...allOf(sent)];
    const of = (keys: readonly string[]) => all.flatMap(([key, value]) => (keys.includes(key) ? [value] : []));
    return {
      text: of(['title', 'description', 'name', 'value', 'content', 'label']).join('\n'),
      ids: of(['custom_id']),
      values: of(['value']),
    };
  }

  return {
    ...{ databaseUrl, store, contexts, directory },
    /** Options as texts, or as whole numbers. */
    run: (sender: Sender, name: string, options: Readonly<Record<string, string | number>> = {}) =>
      send(sender, 2, {
        ...{ id: '1', name, type: 1 },
        options: Object.entries(options).map(([key, value]) => ({ name: key, type: 3, value })),
      }),
    /** A button, or with values a select. The id can be forged. */
    press: (sender: Sender, customId: string, values?: readonly string[]) =>
      send(sender, 3, { custom_id: customId, component_type: values ? 3 : 2, ...(values ? { values } : {}) }),
    type: (sender: Sender, name: string, option: string, value: string) =>
      send(sender, 4, { ...{ id: '1', name, type: 1 }, options: [{ name: option, type: 3, value, focused: true }] }),
    /** A command in the menu of a member. */
    choose: (sender: Sender, name: string, memberId: string) =>
      send(sender, 2, { ...{ id: '1', name, type: 2, target_id: memberId }, resolved: resolvedUser(memberId) }),
  };
}

function resolvedUser(id: string) {
  return { users: { [id]: { id, username: 'mira', discriminator: '0', global_name: null } } };
}

/** Every text in the object, with its key. */
function* allOf(value: unknown, key = ''): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [key, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [inner, each] of Object.entries(value)) yield* allOf(each, Array.isArray(value) ? key : inner);
}
