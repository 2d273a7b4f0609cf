import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import type { OpenedSetting } from '../../../config/listings.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import type { NewChange } from '../../core/settings/stored-settings.ts';
import { findSetting, isSecretPath } from '../settings.ts';
import { plainValue, sealedValue } from './opened-settings.ts';

/** A setting to store: as in the file, secrets in plain text; undefined removes what is stored. */
export interface SettingChange {
  /** Empty for the community. */
  readonly listing: string;
  readonly path: string;
  readonly value: unknown;
}

/** Changes with the secret parts of values apart, as they are stored. @param current the settings in effect */
export function withSeparateParts(changes: readonly SettingChange[], current?: ListingConfig): SettingChange[] {
  return changes.flatMap((change) => {
    const { listing, path, value } = change;
    const parts = listing === '' ? findSetting(path)?.secretParts : undefined;
    if (parts === undefined) return [change];
    return parts.separate(value, current).map(([ofPath, part]) => ({ listing, path: ofPath, value: part }));
  });
}

export function withChanges(
  settings: readonly OpenedSetting[],
  changes: readonly SettingChange[],
): readonly OpenedSetting[] {
  const isChanged = ({ listing, path }: OpenedSetting) =>
    changes.some((change) => change.listing === listing && change.path === path);
  const kept = settings.filter((setting) => !isChanged(setting));
  return [...kept, ...changes.filter(({ value }) => value !== undefined)];
}

/** The changes in the form in which they are stored. @param key null if none of them is secret */
export function toStoredValues(
  guildId: string,
  changes: readonly SettingChange[],
  key: EncryptionKey | null,
): NewChange['values'] {
  return changes.map(({ listing, path, value }) => {
    if (value === undefined) return { listing, path, after: null };
    if (!isSecretPath(path)) return { listing, path, after: plainValue(value) };
    if (key === null) throw new Error('A secret cannot be stored without a key.');
    return { listing, path, after: sealedValue(guildId, { listing, path }, value as string | string[], key) };
  });
}

/** Whether the changes contain a secret to encrypt. */
export function hasSecrets(changes: readonly SettingChange[]): boolean {
  return changes.some(({ path, value }) => value !== undefined && isSecretPath(path));
}
