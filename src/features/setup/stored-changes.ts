import type { OpenedSetting } from '../../../config/community-config.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { codesPath, isSecretPath } from '../../core/settings/listing-settings.ts';
import type { NewChange } from '../../core/settings/stored-settings.ts';
import type { EncryptionKey } from '../../platform/encryption/encryption-key.ts';
import { plainValue, sealedValue } from './opened-settings.ts';

/** A setting to store: as in the file, secrets in plain text; undefined removes what is stored. */
export interface SettingChange {
  /** Empty for the community. */
  readonly listing: string;
  readonly path: string;
  readonly value: unknown;
}

/**
 * A shop apart from its codes, which are stored on their own. An item with `codes` has only those from now on, one with
 * `newCodes` gets them in addition.
 * @param current the shop in effect
 */
export function withSeparateCodes(changes: readonly SettingChange[], current: ListingConfig['shop']): SettingChange[] {
  return changes.flatMap((change) => {
    const { listing, path, value } = change;
    if (listing !== '' || path !== 'shop' || !Array.isArray(value)) return [change];
    const separated = value.map((item: unknown) => separateCodes(item, current));
    const codes = separated.flatMap(({ id, codes: ofItem }) =>
      ofItem === null ? [] : [{ listing: '', path: codesPath(id), value: ofItem }],
    );
    return [{ listing, path, value: separated.map(({ item }) => item) }, ...codes];
  });
}

interface SeparatedItem {
  readonly item: unknown;
  readonly id: string;
  /** Null if they stay as they are. */
  readonly codes: readonly unknown[] | null;
}

function separateCodes(item: unknown, current: ListingConfig['shop']): SeparatedItem {
  if (typeof item !== 'object' || item === null) return { item, id: '', codes: null };
  const { codes, newCodes, ...others } = item as Record<string, unknown>;
  const id = String(others['id']);
  const before = current.find((each) => each.id === id)?.codes ?? null;
  const added = Array.isArray(newCodes) ? newCodes : [];
  if (!Array.isArray(codes) && added.length === 0) {
    return { item: 'codeCount' in others ? { ...others, codeCount: before?.length ?? 0 } : others, id, codes: null };
  }
  const all = Array.isArray(codes) ? [...codes, ...added] : [...(before ?? []), ...added];
  return { item: { ...others, codeCount: all.length }, id, codes: all };
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
