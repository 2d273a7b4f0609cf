import type { Clock } from '@tallyhook/platform/clock';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { communityConfig, type OpenedSetting } from '../../../config/listings.ts';
import type { ListingBase, ListingConfig } from '../../../config/schema.ts';
import {
  linkPath,
  type NewChange,
  type SettingKey,
  type StoredCommunity,
} from '../../core/settings/stored-settings.ts';
import { rule } from '../../core/settings/value-schemas.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { missingSettings } from '../settings.ts';
import {
  missingKeyIssue,
  type SaveResult,
  type SettingIssue,
  type SettingsAuthor,
  type SettingsChange,
  toIssue,
  toSettingsChange,
} from './community.ts';
import {
  hasSecrets,
  type OpenedSettings,
  openSettings,
  type SettingChange,
  toStoredValues,
  withChanges,
  withSeparateParts,
} from './stored.ts';

/** How often others may change the community, or the key of the database, while a change is saved. */
const maxAttempts = 30;

/** A community at the time of a change. */
interface CurrentCommunity {
  readonly stored: StoredCommunity;
  readonly opened: OpenedSettings;
  readonly listings: readonly ListingConfig[];
}

/** Why a secret cannot be stored, and what the operator can do. */
interface KeyMissing {
  readonly reason: string;
  readonly hint: string;
}

interface SaveOptions {
  readonly basis: number | null;
  /** The Discord ids of listings, by name, as far as the service has said them for new API keys. */
  readonly targetIds?: ReadonlyMap<string, string>;
}

/** The settings of a community before and after a change. */
interface ValidatedChange extends Pick<SaveOptions, 'targetIds'> {
  readonly guildId: string;
  readonly before: readonly OpenedSetting[];
  readonly after: readonly OpenedSetting[];
  /** The values that are set. */
  readonly changed: readonly SettingKey[];
}

export type SettingsWriter = ReturnType<typeof createSettingsWriter>;

export interface WriterOptions {
  readonly store: SettingsStore;
  readonly encryption: Encryption;
  readonly base: () => ListingBase;
  /** The server or bot that a listing is. */
  readonly findTarget: FindTarget;
  /** Applies what is stored, here at once and soon in other processes. */
  readonly apply: () => Promise<void>;
  /** Called with the cause, for the operator, if a secret cannot be stored. */
  readonly onKeyMissing?: (cause: KeyMissing) => void;
  readonly clock: Clock;
}

/** Validates and stores changes, and applies them in this process. Methods reject with the errors of the store. */
export function createSettingsWriter(options: WriterOptions) {
  const { store, encryption, base, findTarget, apply, onKeyMissing = () => {}, clock } = options;

  async function read(guildId: string): Promise<CurrentCommunity> {
    const [stored] = await store.communities([guildId]);
    if (stored === undefined) throw new Error('The community could not be read.');
    const opened = openSettings(stored, encryption);
    return { stored, opened, listings: communityConfig(base(), guildId, opened.settings).listings };
  }

  /** What would be wrong with these settings that is not wrong already. */
  async function issuesOf({ guildId, changed, targetIds, ...settings }: ValidatedChange): Promise<SettingIssue[]> {
    const before = communityConfig(base(), guildId, settings.before);
    const after = communityConfig(base(), guildId, settings.after);
    const known = [...before.issues.map(toIssue), ...missingIn(before.listings)].map((issue) => JSON.stringify(issue));
    const all = [...after.issues.map(toIssue), ...missingIn(after.listings)];
    const issues = all.filter((issue) => !known.includes(JSON.stringify(issue)));
    const names = changed.filter(({ path }) => isIdentityPath(path)).map(({ listing }) => listing);
    if (names.length === 0 || issues.length > 0) return issues;
    const listings = after.listings.map((each) => ({ ...each, id: each.id ?? targetIds?.get(each.name) ?? null }));
    return linkIssues(names, { before: before.listings, after: listings }, findTarget);
  }

  /** The reason is the operator's: it names the key file. */
  function findKey(keyId: string | null): EncryptionKey | 'missing' {
    try {
      return encryption.keyFor(keyId);
    } catch (error) {
      const hint = error instanceof TallyhookError ? error.hint : undefined;
      onKeyMissing({ reason: messageOf(error), hint: hint ?? 'Set the settings key (SETTINGS_KEY).' });
      return 'missing';
    }
  }

  /**
   * Stores values as they are. Null if they have to be validated again: they are encrypted with a key that is not the
   * database's any more, or the community has changed.
   */
  async function storeChange(change: NewChange) {
    const result = await store.save(change);
    if (result.status === 'other_key' || result.status === 'outdated') return null;
    if (result.status === 'saved' || result.status === 'repeated') await apply();
    return result;
  }

  async function toChange(guildId: string, id: number): Promise<SettingsChange> {
    const [change] = await store.changesWithIds(guildId, [id]);
    if (change === undefined) throw new Error('The change could not be read.');
    return toSettingsChange(change);
  }

  return {
    read,
    issuesOf,
    store: storeChange,
    change: toChange,
    async save(
      author: SettingsAuthor,
      changes: readonly SettingChange[],
      { basis, targetIds }: SaveOptions,
    ): Promise<SaveResult> {
      const { guildId } = author;
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const { stored, opened, listings } = await read(guildId);
        const separated = withSeparateParts(changes, listings[0]);
        const unknown = separated.filter(
          ({ listing, value, path }) =>
            listing !== '' && path !== linkPath && value !== undefined && !isListing(listing, listings, separated),
        );
        const changed = separated.filter(({ value }) => value !== undefined);
        const settings = { before: opened.settings, after: withChanges(opened.settings, separated) };
        const issues = await issuesOf({ guildId, ...settings, changed, ...(targetIds && { targetIds }) });
        if (unknown.length + issues.length > 0) {
          const unknownIssues = unknown.map(({ listing, path }) => unknownListing(listing, path));
          return { status: 'invalid', issues: [...unknownIssues, ...issues] };
        }
        const key = hasSecrets(separated) ? findKey((await store.state()).keyId) : null;
        if (key === 'missing') return { status: 'invalid', issues: [missingKeyIssue(null, 'lookupKey')] };
        const values = toStoredValues(guildId, separated, key);
        const result = await storeChange({
          ...author,
          at: clock.now(),
          basis,
          undoes: null,
          values,
          ...(changed.some(({ path }) => isIdentityPath(path)) && { validatedWith: stored.version }),
        });
        if (result?.status === 'name_taken') return { status: 'invalid', issues: [nameTaken] };
        if (result !== null) return toSaveResult(guildId, result);
      }
      throw new TallyhookError('settings_key_missing', 'The settings, or their key, change all the time.');
    },
  };

  async function toSaveResult(
    guildId: string,
    result: NonNullable<Awaited<ReturnType<typeof storeChange>>>,
  ): Promise<SaveResult> {
    switch (result.status) {
      case 'saved':
      case 'repeated':
        return { status: 'saved', change: await toChange(guildId, result.id) };
      case 'conflict':
        return {
          status: 'conflict',
          since: (await store.changesWithIds(guildId, result.changes)).map(toSettingsChange),
        };
      default:
        return { status: 'unchanged' };
    }
  }
}

/** The settings that others need, each once: the listings of a guild share them. */
function missingIn([listing]: readonly ListingConfig[]): readonly SettingIssue[] {
  const missing = listing === undefined ? [] : missingSettings(listing);
  return missing.map((each) => ({ ...each, listing: null, code: 'missing', hint: null }));
}

/** Whether a listing exists, or is being linked. */
function isListing(name: string, listings: readonly ListingConfig[], changes: readonly SettingChange[]): boolean {
  const isLinked = changes.some(
    ({ listing, path, value }) => listing === name && path === linkPath && value !== undefined,
  );
  return isLinked || listings.some((listing) => listing.name === name);
}

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
async function linkIssues(
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
const nameTaken: SettingIssue = {
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
