import { settingsNeedingRestart, withRotatedSecrets } from '../../config/rotation.ts';
import { type Config, InvalidConfigError } from '../../config/schema.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Redactor } from '../platform/redactor.ts';

/**
 * Reads the settings anew and takes over the secrets in them, all or none. Settings that are faulty change nothing: what was in force
 * stays so, and the log says what to mend. It never throws.
 */
export function createReload(options: {
  config: Config;
  /** Throws {@link InvalidConfigError}. */
  read: () => Config;
  /** Throws where a secret cannot be used, and has taken over nothing then. */
  takeOver: (config: Config) => void;
  redact: Redactor;
  log: Log;
}): () => void {
  const { read, takeOver, redact, log } = options;
  let inForce = options.config;

  return () => {
    try {
      const found = read();
      redact.add(found.secrets);
      const next = withRotatedSecrets(inForce, found);
      takeOver(next);
      inForce = next;
      log.info('the settings were read anew, and their secrets are in force');
      const waiting = settingsNeedingRestart(next, found);
      if (waiting.length > 0)
        log.warn({ settings: waiting }, 'other settings have changed too: they wait for a restart');
    } catch (error) {
      const why = error instanceof InvalidConfigError ? { faults: error.issues } : { reason: messageOf(error) };
      log.error(why, 'the settings that were read anew cannot be used: the old ones stay in force');
    }
  };
}
