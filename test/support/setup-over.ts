import { systemClock } from '@tallyhook/platform/clock';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createLog } from '@tallyhook/platform/log';
import { systemResolve } from '@tallyhook/platform/webhooks/target';
import { loadConfig } from '../../config/load.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import type { GuildProfiles } from '../../src/discord/guild-profile.ts';
import { createDirectory, createListingTargets } from '../../src/features/communities/directory.ts';
import { EndpointAccess } from '../../src/features/events/endpoints.ts';
import { WebhookSender } from '../../src/features/events/sender.ts';
import type { SettingsAuthor } from '../../src/features/settings/community.ts';
import { SettingsInEffect } from '../../src/features/settings/in-effect.ts';
import {
  createChangeSimulation,
  createSetupDrafts,
  type SetupChecks,
  type SetupServices,
} from '../../src/features/settings/services.ts';
import { Settings } from '../../src/features/settings/settings.ts';
import { openSettings } from '../../src/features/settings/stored.ts';
import type { Store } from '../../src/features/store.ts';
import { Tokens } from '../../src/features/tokens/tokens.ts';
import { communityIdsOf, firstCommunity } from './communities.ts';

type Environment = Readonly<Record<string, string>>;

function configOf(environment: Environment) {
  const variables = { TALLYHOOK_ROLES: 'receive', CACHE_URL: 'memory:', SETTINGS_KEY: 'a'.repeat(64) };
  return loadConfig({ ...variables, ...environment });
}

/** The settings of a process with these variables and this store. The listing service does not respond. */
export function setupOver(
  { settings: store }: Store,
  environment: Environment = {},
  apply: () => Promise<void> = async () => {},
): Settings {
  const { base, encryption, publicUrl } = configOf(environment);
  return new Settings({
    ...{ store, encryption: createEncryption(encryption), publicUrl, clock: systemClock },
    ...{ base: () => base, apply, findTarget: createListingTargets(() => undefined).find },
  });
}

const noProfiles: GuildProfiles = {
  find: async () => null,
  iconOf: async () => null,
  readPicture: async () => null,
  change: async () => ({ problem: 'unavailable' }),
};

/** What `/setup` needs: every key is accepted, and Discord says nothing, unless `checks` differ. */
export function setupServicesOver(
  store: Store,
  {
    checks = {},
    environment = {},
    profiles = noProfiles,
  }: { checks?: Partial<SetupChecks>; environment?: Environment; profiles?: GuildProfiles } = {},
): SetupServices {
  const config = configOf(environment);
  const clock = systemClock;
  const log = createLog({ level: 'silent', secrets: [] });
  const directory = createDirectory(config.listings, communityIdsOf(config.listings));
  const inEffect = new SettingsInEffect(config.base, {
    ...{ store: store.settings, encryption: createEncryption(config.encryption), redact: null, log },
    ...{ replace: directory.replace, addCommunities: async () => {} },
  });
  const setup = setupOver(store, environment, inEffect.refresh);
  const kit = { store, directory, clock, stopwatch: clock, log };
  const targets = { allowLoopback: false, allowPrivate: config.webhookPrivateTargets, resolve: systemResolve };
  const webhookSender = new WebhookSender({ ...kit, targets, metrics: createMetrics() });
  return {
    settings: setup,
    webPage: () => null,
    publicPage: () => null,
    simulateChange: createChangeSimulation({ ...kit, setup }),
    endpoints: new EndpointAccess({ ...kit, webhookSender, nudge() {} }),
    drafts: createSetupDrafts(systemClock),
    profiles,
    connections: { heldFor: async () => [], confirm: async () => null },
    async postVotePanel(guildId, channelId) {
      await store.votePanel.place({ guildId, channelId }, systemClock.now());
    },
    tokens: new Tokens({ store: store.tokens, clock, log: createLog({ level: 'silent', secrets: [] }) }),
    communityIdOf: () => firstCommunity,
    unreadyItems: async () => [],
    hasVotePanel: async (guildId) => (await store.votePanel.find(guildId)) !== null,
    checks: {
      checkKey: async () => ({ status: 'valid', kind: 'server', name: 'Lantern Harbour', targetId: null }),
      hasService: true,
      dashboardOf: async () => null,
      connectOffer: async () => null,
      votePage: async () => null,
      roleAccess: async () => null,
      channelsOf: async () => null,
      readUpload: async () => null,
      unassignedListings: () => [],
      listingNames: async () => new Map(),
      ...checks,
    },
  };
}

/** Saves an exported file, as `/setup` does after its checks. */
export async function importInto(setup: Settings, author: SettingsAuthor, text: string) {
  const read = await setup.readExport(author.guildId, text);
  if ('issues' in read) return { status: 'invalid', issues: read.issues } as const;
  return setup.saveChanges(author, read.changes, { basis: null });
}

/** What is stored at a path, decrypted. @param listing empty for the community */
export async function storedValue({ settings }: Store, guildId: string, listing: string, path: string) {
  const [stored = { guildId, settings: [] }] = await settings.communities([guildId]);
  const opened = openSettings(stored, createEncryption(configOf({}).encryption));
  return opened.settings.find((each) => each.listing === listing && each.path === path)?.value;
}
