import { type Encryption, KeyMissingError } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import type { OpenedSetting } from '../../../config/listings.ts';
import type { SettingKey, StoredCommunity, StoredValue } from '../../core/settings/stored-settings.ts';

/** The stored settings of a community with their secrets decrypted. */
export interface OpenedSettings {
  readonly settings: readonly OpenedSetting[];
  /** All secrets of {@link settings} except codes of the shop, to be redacted from the log. */
  readonly secrets: readonly string[];
  /** Secrets that cannot be decrypted. They are missing in {@link settings}. */
  readonly unreadable: readonly UnreadableSecret[];
}

export interface UnreadableSecret extends SettingKey {
  /** The key is missing here; otherwise the stored text is damaged. */
  readonly isKeyMissing: boolean;
  readonly reason: string;
  readonly hint: string;
}

/** Decrypts what is stored of a community. Never throws: a secret that cannot be decrypted is reported. */
export function openSettings(
  { guildId, settings: stored }: Pick<StoredCommunity, 'guildId' | 'settings'>,
  encryption: Encryption,
): OpenedSettings {
  const settings: OpenedSetting[] = [];
  const secrets: string[] = [];
  const unreadable: UnreadableSecret[] = [];
  for (const { listing, path, value, sealed } of stored) {
    if (sealed === null) {
      settings.push({ listing, path, value: parseJson(value) });
      continue;
    }
    try {
      const opened = parseJson(encryption.open(sealed, contextOf(guildId, { listing, path })));
      settings.push({ listing, path, value: opened });
      if (listing !== '') secrets.push(...[opened].flat().filter((secret) => typeof secret === 'string'));
    } catch (error) {
      const hint = (error instanceof TallyhookError && error.hint) || 'Enter it again with /setup.';
      const isKeyMissing = error instanceof KeyMissingError;
      unreadable.push({ listing, path, isKeyMissing, reason: messageOf(error), hint });
    }
  }
  return { settings, secrets, unreadable };
}

export function canUseKey(encryption: Encryption, keyId: string): boolean {
  try {
    encryption.keyFor(keyId);
    return true;
  } catch {
    return false;
  }
}

/** A value in the form in which it is stored. */
export function plainValue(value: unknown): StoredValue {
  return { value: JSON.stringify(value), sealed: null };
}

/** A secret (one or a list of them) in the form in which it is stored. */
export function sealedValue(
  guildId: string,
  setting: SettingKey,
  secret: string | readonly string[],
  key: EncryptionKey,
): StoredValue {
  const count = typeof secret === 'string' ? 1 : secret.length;
  return { value: String(count), sealed: seal(key, JSON.stringify(secret), contextOf(guildId, setting)) };
}

/** The row of the value, also of its history. */
export function contextOf(guildId: string, { listing, path }: SettingKey): readonly string[] {
  return ['settings', guildId, listing, path];
}
