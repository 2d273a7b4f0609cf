import { randomBytes } from 'node:crypto';
import type { ListingConfig } from '../../../config/schema.ts';
import { linkPath } from '../../core/settings/stored-settings.ts';
import type { ListingDetails, NewLink, SettingsAuthor } from './community.ts';
import type { SettingChange } from './stored-changes.ts';

/* The changes that link a listing, and that add to it. */

/** 32 characters, which every form accepts. */
export function generateSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** A permanent name that nobody can guess, for a listing of a kind or site. */
export function newListingName(what: string): string {
  return `${what}-${randomBytes(5).toString('hex')}`;
}

export function linkChanges(
  {
    kind,
    targetId,
    site = null,
    custom,
    lookupKey,
    premiumSecret,
    ...link
  }: Omit<NewLink, 'voteSecret' | keyof SettingsAuthor>,
  secret: string,
): { readonly name: string; readonly changes: readonly SettingChange[] } {
  const name = link.name ?? newListingName(site ?? kind);
  const changes: readonly SettingChange[] = [
    {
      listing: name,
      path: linkPath,
      value: { kind, id: targetId, ...(site !== null && { site }), ...(custom && { custom }) },
    },
    { listing: name, path: 'voteSecrets', value: [secret] },
    ...(premiumSecret === undefined ? [] : [{ listing: name, path: 'premiumSecrets', value: [premiumSecret] }]),
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
