import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop } from '@tallyhook/platform/loop';
import type { Redactor } from '@tallyhook/platform/redactor';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import type { Directory, ListingTargets, LookupClients } from '../communities/feature.ts';
import { createCommunitySettings } from './community-settings.ts';
import { Setup } from './setup.ts';

/** How often to look for changes of other processes (ms). It reads one row. */
const pollMs = 2 * second;

export function createSettings(
  config: Config,
  options: {
    readonly store: SettingsStore;
    readonly encryption: Encryption;
    readonly directory: Directory;
    readonly addCommunities: (guildIds: readonly string[]) => Promise<void>;
    readonly lookups: Pick<LookupClients, 'prepare'>;
    readonly targets: Pick<ListingTargets, 'find'>;
    /** Receives the secrets of the communities; null without a log. */
    readonly redact: Pick<Redactor, 'add'> | null;
    /** Called after each change, so that other processes can be notified. */
    readonly onSaved: () => void;
    /** What else is read whenever changes of settings are looked for. */
    readonly alsoRefresh?: () => Promise<void>;
    readonly clock: Clock;
    readonly log: Log;
  },
) {
  const { store, encryption, directory, addCommunities, lookups, targets, redact, onSaved, alsoRefresh, clock, log } =
    options;
  const sync = createCommunitySettings({ base: config.base, store, encryption, addCommunities, replace, redact, log });

  /** Replaces nothing if one of the keys is not valid. */
  function replace(communities: ReadonlyMap<string | null, readonly ListingConfig[]>): void {
    const unchanged = directory.listings.filter(({ guildId }) => !communities.has(guildId));
    const replaceLookups = lookups.prepare([...unchanged, ...[...communities.values()].flat()]);
    replaceLookups();
    directory.replace(communities);
  }

  return {
    sync,
    /** Applies what other processes have saved; woken when one of them says so. */
    loop: createLoop({
      async round() {
        await sync.refresh();
        await alsoRefresh?.();
      },
      pauseMs: pollMs,
      onError(error, isRepeated) {
        if (!isRepeated) log.warn({ reason: messageOf(error) }, 'changed settings could not be read; retrying');
      },
      clock,
    }),
    /** Creates the key file if `/setup` needs one, so that a folder that cannot be written is reported at the start. */
    async prepareKey(): Promise<void> {
      if (!encryption.canSeal) return;
      try {
        encryption.keyFor((await store.state()).keyId);
      } catch (error) {
        if (!(error instanceof TallyhookError)) throw error;
        log.warn({ hint: error.hint }, `no listing can be linked with /setup: ${error.message}`);
      }
    },
    setup: new Setup({
      store,
      encryption,
      publicUrl: config.publicUrl,
      clock,
      base: () => sync.base,
      findTarget: targets.find,
      onKeyMissing: (cause) => log.error(cause, 'secrets entered with /setup cannot be stored'),
      async apply() {
        await sync.refresh();
        onSaved();
      },
    }),
  };
}
