import { type Finding, fail, pass, warn } from '../../platform/doctor/finding.ts';
import { createEncryption, KeyMissingError, type KeySources } from '../../platform/encryption/encryption.ts';
import { readKeyFile } from '../../platform/encryption/key-file.ts';

/**
 * Whether the secrets that were entered in Discord can be decrypted.
 * @param keyId of the key with which they are encrypted; null if there are none
 */
export function evaluateSettingsKey(sources: KeySources, keyId: string | null): Finding[] {
  if (keyId === null) return evaluateUnusedKeyFile(sources.keyFile);
  try {
    createEncryption(sources).keyFor(keyId);
    return [pass('The key of the secrets that were entered in Discord is available.')];
  } catch (error) {
    if (!(error instanceof KeyMissingError)) throw error;
    const message =
      'The key of the secrets that were entered in Discord is missing: listings linked there receive nothing.';
    return [fail(message, error.hint ?? '')];
  }
}

/** Nothing depends on the file yet, but the first secret would. */
function evaluateUnusedKeyFile(keyFile: string | null): Finding[] {
  const file = keyFile === null ? null : readKeyFile(keyFile);
  if (file?.state !== 'unusable') return [];
  const { problem, hint } = file.issue;
  return [warn(`${problem} No listing can be linked in Discord.`, hint)];
}
