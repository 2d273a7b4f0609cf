import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { mayManageGuild } from '../../discord/inspection.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { listingAddress, type Settings } from '../settings/feature.ts';
import type { ConnectionStore } from './store.ts';
import { createTopggConnect, createTopggRoutes, type TopggConnect, topggConnectPath } from './topgg-connect.ts';

/** The address exists if `TOPGG_INTEGRATION_SECRET` is set, with `PUBLIC_URL` and `DISCORD_TOKEN`. */
export function createServices({
  config: { topggIntegrationSecret: secret, publicUrl, discord },
  ...context
}: ServicesContext & {
  readonly store: { readonly topggConnect: ConnectionStore; readonly settings: Pick<SettingsStore, 'state'> };
  readonly encryption: Encryption;
  readonly setup: Settings;
}): FeatureServices & { readonly shared: { readonly topggConnect: TopggConnect } } {
  const { store, encryption, setup, directory, rest, clock, stopwatch, log } = context;
  const topggConnect = createTopggConnect({
    ...{ store: store.topggConnect, encryption, settings: setup, clock, log },
    keyId: async () => (await store.settings.state()).keyId,
    isManager: (guildId, userId) => mayManageGuild(rest, { guildId, userId, now: stopwatch.now() }),
    mayLink: () => (directory.ofGuild(null)?.named ?? []).length === 0,
  });
  const shared = { topggConnect };
  if (secret === null || discord.token === '') return { shared };
  if (publicUrl === null) {
    const hint = 'Set PUBLIC_URL to the address under which the internet reaches this program.';
    log.warn({ hint }, `TOPGG_INTEGRATION_SECRET is set, but ${topggConnectPath} is off`);
    return { shared };
  }
  const addressOf = (listing: string) => listingAddress(listing, publicUrl);
  return {
    shared,
    routes: createTopggRoutes({ connect: topggConnect, secret, addressOf, clock }),
  };
}
