import { createGuildReader } from '../../discord/guild-reader.ts';
import { fetchBotIdentity, mayManageGuild } from '../../discord/inspection.ts';
import { createPictures } from '../../discord/pictures.ts';
import type { FeatureServices } from '../parts.ts';
import { createConnect } from './connect.ts';
import { createSetupServices, type SetupContext, type SetupServices } from './services.ts';

export function createServices(context: SetupContext): FeatureServices & {
  readonly shared: { readonly setupServices: SetupServices };
  readonly commands: { readonly setup: SetupServices | null };
} {
  const connecting = createConnecting(context);
  const setupServices = createSetupServices(context, connecting?.offer ?? (async () => null));
  return {
    ...(connecting && { routes: connecting.routes }),
    shared: { setupServices },
    commands: { setup: setupServices },
  };
}

/** Null without a service, or without PUBLIC_URL or DISCORD_TOKEN. */
function createConnecting({ config: { lookup, publicUrl, discord }, ...context }: SetupContext) {
  if (lookup.baseUrl === '' || publicUrl === null || discord.token === '') return null;
  const { store, directory, rest, setup, stopwatch, log } = context;
  const reader = createGuildReader({ rest, clock: stopwatch });
  return createConnect({
    ...context,
    serviceUrl: lookup.baseUrl,
    publicUrl,
    settings: setup,
    cookieSecret: discord.token,
    keyId: async () => (await store.settings.state()).keyId,
    isManager: (guildId, userId) => mayManageGuild(rest, { guildId, userId, now: stopwatch.now() }),
    botName: async () => (await fetchBotIdentity(rest)).name,
    reader,
    pictures: createPictures({ reader, apiUrl: discord.apiUrl, clock: stopwatch, log }),
    mayLink: () => (directory.ofGuild(null)?.named ?? []).length === 0,
  });
}
