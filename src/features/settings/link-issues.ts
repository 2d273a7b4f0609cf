import type { ListingConfig } from '../../../config/schema.ts';
import { linkPath } from '../../core/settings/stored-settings.ts';
import { rule } from '../../core/settings/value-schemas.ts';
import type { SettingIssue } from './community.ts';

/** The choices of a select. */
const maxListings = 25;

/** The server or bot that a listing is, as far as that can be found out now. */
export type FindTarget = (
  listing: ListingConfig,
) => Promise<{ readonly isKnown: true; readonly id: string | null } | { readonly isKnown: false }>;

/** Where a change could make two listings of a guild the same server or bot. */
export function isIdentityPath(path: string): boolean {
  return path === linkPath || path === 'lookupKey';
}

/**
 * Why changed listings cannot be in the guild: one server or bot is linked once, because otherwise a vote would count for
 * each of its listings. What the operator has configured counts, too.
 * @param changed names of the listings with a new link or API key
 * @param before the listings without the change: two that were the same listing before stay as they are
 */
export async function linkIssues(
  changed: readonly string[],
  { before, after }: { readonly before: readonly ListingConfig[]; readonly after: readonly ListingConfig[] },
  findTarget: FindTarget,
): Promise<SettingIssue[]> {
  const issues: SettingIssue[] = [];
  for (const listing of after.filter(({ name }) => changed.includes(name))) {
    const mayBeSame = ({ name, kind, site, implied }: ListingConfig) =>
      name !== listing.name && kind === listing.kind && site?.id === listing.site?.id && !implied;
    const others = after.filter(mayBeSame);
    for (const other of others) {
      const isSame = await compare(listing, other, findTarget);
      if (isSame === false || (await wereSame(listing, other, before, findTarget))) continue;
      issues.push(isSame === null ? notCompared(other) : alreadyLinked(other));
    }
  }
  const isNew = after.some(({ name }) => changed.includes(name) && before.every((each) => each.name !== name));
  const tooMany = isNew && after.filter(({ linked }) => linked).length > maxListings;
  return tooMany ? [...issues, tooManyListings] : issues;
}

/** Whether two listings of one kind are the same server or bot; null if that cannot be found out now. */
async function compare(listing: ListingConfig, other: ListingConfig, findTarget: FindTarget): Promise<boolean | null> {
  if (listing.lookupKey !== null && listing.lookupKey === other.lookupKey) return true;
  // What is linked has an id, unless the service does not say it.
  if (listing.id === null) return false;
  const target = await findTarget(other);
  return target.isKnown ? target.id === listing.id : null;
}

async function wereSame(
  listing: ListingConfig,
  other: ListingConfig,
  before: readonly ListingConfig[],
  findTarget: FindTarget,
): Promise<boolean> {
  const [one, two] = [listing, other].map(({ name }) => before.find((each) => each.name === name));
  return one !== undefined && two !== undefined && (await compare(one, two, findTarget)) !== false;
}

function alreadyLinked({ name, linked }: ListingConfig): SettingIssue {
  const issue = { listing: name, path: linkPath } as const;
  return linked
    ? {
        ...issue,
        code: 'already_linked',
        problem: `is linked already, as ${name}.`,
        hint: 'Replace its key or its secrets instead.',
      }
    : {
        ...issue,
        code: 'operators_listing',
        problem: `was set up by the operator already, as ${name}.`,
        hint: 'Change its settings instead.',
      };
}

function notCompared({ name }: ListingConfig): SettingIssue {
  return {
    listing: name,
    path: linkPath,
    code: 'not_compared',
    problem: `may be the same listing as ${name}.`,
    hint: `Try again later. If this stays, give ${name} its id in the file of TALLYHOOK_CONFIG, or a valid API key.`,
  };
}

const tooManyListings: SettingIssue = {
  listing: null,
  path: linkPath,
  code: 'invalid',
  problem: `is one of more than ${maxListings} listings.`,
  rule: rule('atMost', { max: maxListings }),
  hint: 'Unlink another one first.',
};

/** Names are generated, so nobody gets this by accident. */
export const nameTaken: SettingIssue = {
  listing: null,
  path: linkPath,
  code: 'invalid',
  problem: 'has a name that a listing of another server has or had.',
  hint: 'Link it again.',
};

/** A key that does not belong to the listing for which it was entered. */
export function keyOfOtherListing(listing: string): SettingIssue {
  const problem = 'belongs to another listing.';
  return { listing, path: 'lookupKey', code: 'other_listing', problem, hint: 'Link that listing instead.' };
}

/** A change of a listing that does not exist, or of a setting of one. */
export function unknownListing(listing: string, path: string = linkPath): SettingIssue {
  const verb = path === linkPath ? 'is' : 'belongs to';
  const problem = `${verb} a listing that does not exist in this server.`;
  return { listing, path, code: 'unknown_listing', problem, hint: 'Run /setup again.' };
}
