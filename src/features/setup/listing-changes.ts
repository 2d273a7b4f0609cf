import { randomBytes } from 'node:crypto';
import type { ListingConfig } from '../../../config/schema.ts';
import { linkPath } from '../../core/settings/listing-settings.ts';
import type { ListingDetails, NewLink, SettingsAuthor } from './community.ts';
import type { SettingChange } from './stored-changes.ts';

/* The changes that link a listing, and that add to it. */

/** 32 characters, which every form accepts. */
export function generateSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** A new listing, with a permanent name that nobody can guess. */
export function linkChanges(
  { kind, targetId, site = null, lookupKey }: Omit<NewLink, 'voteSecret' | keyof SettingsAuthor>,
  secret: string,
): { readonly name: string; readonly changes: readonly SettingChange[] } {
  const name = `${site ?? kind}-${randomBytes(5).toString('hex')}`;
  const changes: readonly SettingChange[] = [
    { listing: name, path: linkPath, value: { kind, id: targetId, ...(site !== null && { site }) } },
    { listing: name, path: 'voteSecrets', value: [secret] },
    ...(lookupKey === null ? [] : [{ listing: name, path: 'lookupKey', value: lookupKey }]),
  ];
  return { name, changes };
}

export function detailChanges(
  current: ListingConfig,
  { voteSecret, premiumSecret, siteKey, slug }: ListingDetails,
): readonly SettingChange[] {
  const listing = current.name;
  return [
    ...(voteSecret === null ? [] : [withSecret(current, 'voteSecrets', voteSecret)]),
    ...(premiumSecret === null ? [] : [withSecret(current, 'premiumSecrets', premiumSecret)]),
    ...(siteKey === null ? [] : [{ listing, path: 'siteKey', value: siteKey }]),
    ...(slug === null ? [] : [{ listing, path: 'slug', value: slug }]),
  ];
}

/** The newest of the earlier secrets stays valid. */
export function withSecret(
  listing: ListingConfig,
  path: 'voteSecrets' | 'premiumSecrets',
  added: string,
): SettingChange {
  const earlier = listing[path].filter((each) => each !== added).slice(0, 1);
  return { listing: listing.name, path, value: [added, ...earlier] };
}
