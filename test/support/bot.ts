import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { DirectRequest } from '@tallyhook/platform/http/body';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { ApplicationCommandOptionType, Routes } from 'discord-api-types/v10';
import type { LocalDiscord } from 'local-discord';
import { inject, it } from 'vitest';
import type { Command, CommandContext, UnlocalizedContext } from '../../commands/context.ts';
import type { Reply } from '../../src/discord/commands/reply.ts';
import { GatewayConnection } from '../../src/discord/gateway/gateway-client.ts';
import { createInteractionsEndpoint } from '../../src/discord/interactions/endpoint.ts';
import { Interactions } from '../../src/discord/interactions/interactions.ts';
import { createRestTransports } from '../../src/discord/interactions/responses.ts';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { CommandRegistrar } from '../../src/discord/registration/registrar.ts';
import type { Registration } from '../../src/discord/registration/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { createClaims } from '../../src/features/claims/parts.ts';
import { createAwards } from '../../src/features/corrections/parts.ts';
import { createGifts } from '../../src/features/gifts/parts.ts';
import { createMemberDataAccess } from '../../src/features/member-data/parts.ts';
import { createVotePictures } from '../../src/features/pictures/vote-pictures.ts';
import { createReminders } from '../../src/features/reminders/service.ts';
import type { SetupServices } from '../../src/features/settings/services.ts';
import { Shop } from '../../src/features/shop/parts.ts';
import { type ShopItem, shopItems } from '../../src/features/shop/purchase.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { createTraces } from '../../src/features/traces/parts.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';
import { firstCommunity } from './communities.ts';
import { guardsOver } from './guards.ts';
import { serverAndBot } from './listings.ts';
import { localDiscord } from './local-discord.ts';
import { newSqliteUrl } from './new-sqlite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How the bots of these tests receive interactions. */
    interactions: 'gateway' | 'http';
  }
}

const en = textsIn('en-US');

export { localDiscord };

/** A clock that runs `times` faster than real time. */
export function fastClock(times: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * times,
    monotonic: () => performance.now() * times,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
    random: () => 0.5,
  };
}

/** Polls until the condition is true; throws after `timeoutMs`. */
export async function until(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Not true within ${timeoutMs} ms: ${String(condition)}`);
    await wait(10);
  }
}

/** Lets a command take `ms` on the clock of its bot, which nothing else advances. */
export async function take(clock: ManualClock, ms: number): Promise<void> {
  // The deadline of its response is set when it has begun.
  await turn();
  await clock.advance(ms);
}

/** A command with one user option. */
export function command(changes: Partial<Command> & Pick<Command, 'execute'>): Command {
  return {
    name: 'say',
    visibility: 'public',
    hasPages: false,
    isServedBy: () => true,
    describe: () => ({
      description: 'Says something.',
      options: [{ type: ApplicationCommandOptionType.User, name: 'user', description: 'To whom.' }],
    }),
    ...changes,
  };
}

/** A store in its own database. */
async function testStore() {
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  onFinished(() => store.close());
  return store;
}

/** A command registry in its own database. */
export async function commandRegistry() {
  return (await testStore()).commandRegistry;
}

const isOverHttp = inject('interactions') === 'http';

/** A test of what only exists with the gateway. */
export function itThroughGateway(name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (!isOverHttp) it(name, test, timeoutMs);
}

/** A bot with these commands, connected to its own local Discord. */
export async function connectedBot(
  commands: readonly Command[],
  changes: {
    /** Of interactions; default: the system clock. */
    clock?: Clock;
    /** Of the local Discord; by default no time passes on it, so that no response is too late. */
    stopwatch?: Clock;
    listings?: CommandContext['listings'];
    /** What the shop of the local Discord's guild offers; default: nothing. */
    items?: readonly ShopItem[];
    /** Sent to every member after each response; default: nothing. */
    notice?: Reply;
    /** For `/setup`; default: none. */
    setup?: (discord: LocalDiscord, store: Store) => SetupServices;
    /** Runs before the bot starts. */
    before?: (
      registration: Pick<Registration, 'rest' | 'applicationId' | 'registry'> & { discord: LocalDiscord },
    ) => Promise<unknown>;
  } = {},
) {
  // Where no time passes, a limit that is reached would never end.
  const discord = await localDiscord(
    changes.stopwatch === undefined
      ? { stopwatch: manualClock(), rateLimits: false }
      : { stopwatch: changes.stopwatch },
  );
  const { clock = systemClock, listings = [], items = [], notice = null, before = async () => {} } = changes;
  const { log, logged } = collectingLog([discord.token]);
  const store = await testStore();
  const reminded = listings.map((listing) => ({ ...listing, communityId: firstCommunity, cooldownMs: 12 * hour }));
  const service = createReminders(store.reminders, (name) => reminded.find((each) => each.name === name), {
    clock,
    log,
  });
  const reminders = service.covering(reminded);
  const awards = createAwards({ store, clock: systemClock, log }, firstCommunity);
  const community = { id: firstCommunity, guildId: discord.guildId, ownerChannelId: discord.channels.general };
  const shopOf = { ...community, ...shopItems.as(items) };
  const shop = new Shop(
    {
      ...{ directory: { inGuild: () => [shopOf], ofGuild: () => shopOf }, reusedRoleAccess: async () => null },
      ...{ isHandled: () => false, store, clock: systemClock, log, nudge() {} },
    },
    () => {},
  );
  const claims = createClaims({
    ...{ store, claimRecorder: store.recorder, compareTargets: async () => {}, clock: systemClock, log },
    guards: guardsOver(store, serverAndBot(), systemClock),
    directory: { find: (name) => serverAndBot().find((each) => each.name === name) },
    lookups: { find: (name) => listings.find((each) => each.name === name), findSite: () => null },
  });
  const memberData = createMemberDataAccess({
    ...{ store, directory: { listings: [] }, unlink: async () => false, clock: systemClock, log },
  });
  const traces = createTraces({ records: store.records }, { communityId: firstCommunity, only: null });
  const setup = changes.setup?.(discord, store) ?? null;
  const counted: string[] = [];
  const onAnswered = (name: string, outcome: string) => void counted.push(`${name} ${outcome}`);
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const registry = store.commandRegistry;
  await before({ rest, applicationId: discord.applicationId, registry, discord });
  const languages = ownTexts;
  const offer = () => ({ listings, isShared: false, languages });
  const registration = { rest, guildId: null, commands, offer, registry };
  const registrar = new CommandRegistrar({ ...registration, clock: systemClock, log });
  const context: UnlocalizedContext = {
    ...{ ...offer(), clock, commands, commandId: registrar.idOf.bind(registrar), awards, reminders, shop },
    ...{ claims, memberData, traces, setup, communities: null, raffles: null, refusedVotes: null },
    ...{ gifts: createGifts({ store, clock, log }, undefined), season: () => [] },
    nextVotesOf: store.nextVotes.ofMember,
    findDeparted: async () => new Map(),
    displayName: (name: string) => name,
    recordedVotes: (name: string) => store.recordedVotesIn('UTC')([name], clock.now()),
    drawVotePicture: createVotePictures({ timeZoneOf: () => 'UTC', votesPerDayIn: store.votesPerDayIn, log }),
    standings: store.standingsIn(firstCommunity, 'UTC'),
    rules: listings.map(({ name, lookup: { kind } }) => ({ name, kind, cooldownMs: 12 * hour, milestones: [] })),
  };
  onFinished(() => registrar.stop());
  const globalLimit = createGlobalRateLimit(systemClock);
  const interactions = new Interactions({
    ...{ commands, clock, contextFor: () => context, isOwnCommand: registrar.isOwn.bind(registrar), log, onAnswered },
    languages,
    noticeFor: async () => notice,
  });
  const transports = createRestTransports({ apiUrl: discord.apiUrl, globalLimit });
  const client = isOverHttp ? null : startGateway();
  const isConnected = () => client === null || client.ready;
  if (client === null) await startEndpoint();

  function startGateway() {
    const client = new GatewayConnection({
      token: discord.token,
      apiUrl: discord.apiUrl,
      clock: systemClock,
      log,
      globalLimit,
      onInteraction: (interaction) => void interactions.handle(interaction, transports(interaction)),
      onReady: (applicationId) => registrar.start(applicationId),
    });
    onFinished(() => client.stop());
    client.start();
    return client;
  }

  async function startEndpoint(): Promise<void> {
    const { handle } = createInteractionsEndpoint({
      ...{ publicKey: discord.publicKey, handle: interactions.handle.bind(interactions), transports },
      ...{ clock: systemClock, stopwatch: systemClock, log },
    });
    const server = createHttpServer(handle, { IncomingMessage: DirectRequest });
    onFinished(() => server.close());
    const { url } = await server.listen('127.0.0.1', 0);
    await rest.patch(Routes.currentApplication(), { interactions_endpoint_url: `${url}/interactions` });
    registrar.start(discord.applicationId);
  }

  await until(
    () =>
      isConnected() &&
      logged.some(
        ({ msg }) => msg.startsWith('slash commands registered') || msg.startsWith('slash commands could not'),
      ),
  );
  const [member, other] = discord.members;
  if (member === undefined || other === undefined) throw new Error('The local Discord has no members.');
  const run = (name: string, options: Record<string, string | number> = {}) =>
    discord.runCommand({ name, options, userId: member.id, channelId: discord.channels.general });
  return { discord, store, setup, run, member, other, logged, counted, rest, log };
}

export const hello: Reply = { tone: 'plain', text: en.text('reviews.none') };
