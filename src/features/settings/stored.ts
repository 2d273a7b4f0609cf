import { type Encryption, KeyMissingError } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { type SealContext, seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import type { OpenedSetting } from '../../../config/listings.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import type { NewChange, SettingKey, StoredCommunity, StoredValue } from '../../core/settings/stored-settings.ts';
import type { RekeyStore, SealedRow } from '../../core/store/settings/sealed.ts';
import { tokenContext } from '../linked-roles/feature.ts';
import { findSetting, isSecretPath } from '../settings.ts';
import { connectionContext } from '../topgg-connect/feature.ts';

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

function plainValue(value: unknown): StoredValue {
  return { value: JSON.stringify(value), sealed: null };
}

function sealedValue(
  guildId: string,
  setting: SettingKey,
  secret: string | readonly string[],
  key: EncryptionKey,
): StoredValue {
  const count = typeof secret === 'string' ? 1 : secret.length;
  return { value: String(count), sealed: seal(key, JSON.stringify(secret), contextOf(guildId, setting)) };
}

function contextOf(guildId: string, { listing, path }: SettingKey): readonly string[] {
  return ['settings', guildId, listing, path];
}

/** A setting to store: as in the file, secrets in plain text; undefined removes what is stored. */
export interface SettingChange {
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

export function hasSecrets(changes: readonly SettingChange[]): boolean {
  return changes.some(({ path, value }) => value !== undefined && isSecretPath(path));
}

/** Values per transaction, in which other changes of settings wait: some ms. */
const rowsPerTransaction = 100;

/** Encrypts all secrets with another key while the program runs; can be repeated. @throws KeyMissingError */
export async function rekey(options: {
  readonly store: RekeyStore;
  readonly encryption: Pick<Encryption, 'open'>;
  readonly key: EncryptionKey;
  /** Called after each transaction with the number of values so far. */
  readonly onProgress: (values: number) => void;
  readonly stop: AbortSignal;
}): Promise<number> {
  const { store, encryption, key, onProgress, stop } = options;
  await store.useKey(key.id);
  let total = 0;
  for (;;) {
    if (stop.aborted) throw new TallyhookError('stopped', 'Stopped before all secrets had the new key. Run it again.');
    const rows = await store.sealedWithOthers(key.id, rowsPerTransaction);
    if (rows.length === 0) return total;
    // A value that was changed meanwhile has the new key already.
    total += await store.reseal(rows.map((row) => ({ row, sealed: reseal(row, encryption, key) })));
    onProgress(total);
  }
}

function reseal(row: SealedRow, encryption: Pick<Encryption, 'open'>, key: EncryptionKey): string {
  const context = contextIn(row);
  return seal(key, encryption.open(row.sealed, context), context);
}

function contextIn({ table, column, key }: SealedRow): SealContext {
  const named = (name: string) => String(key[name]);
  switch (table) {
    case 'linked_members':
      return tokenContext(named('user_id'), column === 'access_token' ? column : 'refresh_token');
    case 'topgg_connections':
      return connectionContext(named('connection_id'));
    default:
      return contextOf(named('guild_id'), { listing: named('listing'), path: named('path') });
  }
}
