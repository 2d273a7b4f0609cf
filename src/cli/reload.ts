import { settingsNeedingRestart, withRotatedSecrets } from '../../config/rotation.ts';
import type { Config } from '../../config/schema.ts';
import { messageOf } from '../platform/errors.ts';
import { InvalidConfigError } from '../platform/invalid-config-error.ts';
import type { Log } from '../platform/log.ts';
import type { Redactor } from '../platform/redactor.ts';

/**
 * Returns a function that reloads the configuration and activates its webhook secrets and API keys, all or none. If the
 * configuration is invalid, nothing changes and the log lists the issues. The function never throws.
 */
export function createReload(options: {
  config: Config;
  /** Reads the current configuration. @throws InvalidConfigError */
  load: () => Config;
  /** Activates the secrets. If it throws, it must have changed nothing. */
  reloadSecrets: (config: Config) => void;
  redact: Redactor;
  log: Log;
}): () => void {
  const { load, reloadSecrets, redact, log } = options;
  let active = options.config;

  return () => {
    try {
      const loaded = load();
      redact.add(loaded.secrets);
      const next = withRotatedSecrets(active, loaded);
      reloadSecrets(next);
      active = next;
      log.info('configuration reloaded; new secrets active');
      const settings = settingsNeedingRestart(next, loaded);
      if (settings.length > 0) log.warn({ settings }, 'other changed settings take effect after a restart');
    } catch (error) {
      const fields = error instanceof InvalidConfigError ? { issues: error.issues } : { reason: messageOf(error) };
      log.error(fields, 'configuration reload failed; the previous settings stay active');
    }
  };
}
