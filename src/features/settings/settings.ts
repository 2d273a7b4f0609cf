import { randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { day } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { communityConfig, type OpenedSetting } from '../../../config/listings.ts';
import type { ListingBase, ListingConfig } from '../../../config/schema.ts';
import {
  type Arrival,
  linkPath,
  type NewChange,
  type SettingKey,
  type StoredChange,
} from '../../core/settings/stored-settings.ts';
import { rule } from '../../core/settings/value-schemas.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { missingSettings } from '../settings.ts';
import {
  type CommunitySettings,
  describeCommunity,
  type LinkResult,
  type ListingDetails,
  listingAddress,
  missingKeyIssue,
  type NewLink,
  type RotateResult,
  type SaveResult,
  type SecretFamily,
  type SettingIssue,
  type SettingsAuthor,
  type SettingsChange,
  type SettingsEdit,
  toIssue,
  toSettingsChange,
  type UndoResult,
} from './community.ts';
import { exportSettings, importedChanges } from './file.ts';
import {
  canUseKey,
  hasSecrets,
  openSettings,
  type SettingChange,
  toStoredValues,
  withChanges,
  withSeparateParts,
} from './stored.ts';

/** Changes that an undo compares with. */
const maxShownChanges = 100;
/** How often others may change the community, or the key of the database, while a change is saved. */
const maxAttempts = 30;

interface SaveOptions {
  readonly basis: number | null;
  /** The Discord ids of listings, by name, as far as the service has said them for new API keys. */
  readonly targetIds?: ReadonlyMap<string, string>;
}

interface ValidatedChange extends Pick<SaveOptions, 'targetIds'> {
  readonly guildId: string;
  readonly before: readonly OpenedSetting[];
  readonly after: readonly OpenedSetting[];
  readonly changed: readonly SettingKey[];
}

interface SettingsOptions {
  readonly store: SettingsStore;
  readonly encryption: Encryption;
  readonly publicUrl: string | null;
  readonly base: () => ListingBase;
  readonly findTarget: FindTarget;
  /**
   * Issues of values that only one community can have, by the paths of their settings, as in the file. By default there
   * are none. Rejects with the errors of the store.
   */
  readonly issuesWithOthers?: (
    guildId: string,
    values: ReadonlyMap<string, unknown>,
  ) => Promise<readonly SettingIssue[]>;
  /** Applies what is stored, here at once and soon in other processes. */
  readonly apply: () => Promise<void>;
  /** Called with the cause, for the operator, if a secret cannot be stored. */
  readonly onKeyMissing?: (cause: { readonly reason: string; readonly hint: string }) => void;
  readonly clock: Clock;
}

/** Reads, validates and changes the settings of all communities. Methods reject with the errors of the store. */
export class Settings {
  private readonly options: SettingsOptions;
  private readonly store: SettingsStore;

  constructor(options: SettingsOptions) {
    this.options = options;
    this.store = options.store;
  }

  /** Reads what is stored of a community, with its secrets, and the listings in effect. */
  async open(guildId: string) {
    const { encryption, base } = this.options;
    const [stored] = await this.store.communities([guildId]);
    if (stored === undefined) throw new Error('The community could not be read.');
    const opened = openSettings(stored, encryption);
    return { stored, opened, listings: communityConfig(base(), guildId, opened.settings).listings };
  }

  async read(guildId: string): Promise<CommunitySettings> {
    const { encryption, base, publicUrl } = this.options;
    const { stored, opened } = await this.open(guildId);
    const [latestChange = null] = await this.store.changes(guildId, { before: null, limit: 1 });
    const { keyId } = await this.store.state();
    const community = describeCommunity(base(), {
      guildId: stored.guildId,
      opened,
      latestChange,
      canStoreSecrets: encryption.canSeal && (keyId === null || canUseKey(encryption, keyId)),
      publicUrl,
    });
    const values = Object.entries(community.values).map(([path, { value }]) => [path, value] as const);
    const issues = await this.issuesWithOthers(guildId, new Map(values));
    return { ...community, issues: [...community.issues, ...issues] };
  }

  async save({ changes, basis, ...author }: SettingsEdit): Promise<SaveResult> {
    const listed = changes.map(({ listing, path, value }) => ({ listing: listing ?? '', path, value }));
    const result = await this.saveChanges(author, listed, { basis });
    if (result.status === 'saved') await this.announceTests(author.guildId, result.change);
    return result;
  }

  /** Validates and stores changes, and applies them in this process. @param options.targetIds of new API keys */
  async saveChanges(
    author: SettingsAuthor,
    changes: readonly SettingChange[],
    { basis, targetIds }: SaveOptions,
  ): Promise<SaveResult> {
    const { guildId } = author;
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const { stored, opened, listings } = await this.open(guildId);
      const separated = withSeparateParts(changes, listings[0]);
      const unknown = separated.filter(
        ({ listing, value, path }) =>
          listing !== '' && path !== linkPath && value !== undefined && !isListing(listing, listings, separated),
      );
      const changed = separated.filter(({ value }) => value !== undefined);
      const settings = { before: opened.settings, after: withChanges(opened.settings, separated) };
      const issues = await this.issuesOf({ guildId, ...settings, changed, ...(targetIds && { targetIds }) });
      if (unknown.length + issues.length > 0) {
        const unknownIssues = unknown.map(({ listing, path }) => unknownListing(listing, path));
        return { status: 'invalid', issues: [...unknownIssues, ...issues] };
      }
      const key = hasSecrets(separated) ? this.findKey((await this.store.state()).keyId) : null;
      if (key === 'missing') return { status: 'invalid', issues: [missingKeyIssue(null, 'lookupKey')] };
      const result = await this.storeChange({
        ...author,
        at: this.options.clock.now(),
        basis,
        undoes: null,
        values: toStoredValues(guildId, separated, key),
        ...(changed.some(({ path }) => isIdentityPath(path)) && { validatedWith: stored.version }),
      });
      switch (result?.status) {
        // Others have changed the community meanwhile, or the key of the database.
        case undefined:
          continue;
        case 'name_taken':
          return { status: 'invalid', issues: [nameTaken] };
        case 'saved':
        case 'repeated':
          return { status: 'saved', change: await this.changeWith(guildId, result.id) };
        case 'conflict':
          return { status: 'conflict', since: await this.changesWith(guildId, result.changes) };
        default:
          return { status: 'unchanged' };
      }
    }
    throw new TallyhookError('settings_key_missing', 'The settings, or their key, change all the time.');
  }

  private async issuesOf({ guildId, changed, targetIds, ...settings }: ValidatedChange): Promise<SettingIssue[]> {
    const { base, findTarget } = this.options;
    const before = communityConfig(base(), guildId, settings.before);
    const after = communityConfig(base(), guildId, settings.after);
    const known = [...before.issues.map(toIssue), ...missingIn(before.listings)].map((issue) => JSON.stringify(issue));
    const all = [...after.issues.map(toIssue), ...missingIn(after.listings)];
    const issues = all.filter((issue) => !known.includes(JSON.stringify(issue)));
    if (issues.length > 0) return issues;
    const shared = changed.filter(({ listing }) => listing === '').map(({ path }) => path);
    const values = settings.after.filter(({ listing, path }) => listing === '' && shared.includes(path));
    const taken = await this.issuesWithOthers(guildId, new Map(values.map(({ path, value }) => [path, value])));
    const names = changed.filter(({ path }) => isIdentityPath(path)).map(({ listing }) => listing);
    if (names.length === 0 || taken.length > 0) return [...taken];
    const listings = after.listings.map((each) => ({ ...each, id: each.id ?? targetIds?.get(each.name) ?? null }));
    return linkIssues(names, { before: before.listings, after: listings }, findTarget);
  }

  private async issuesWithOthers(guildId: string, values: ReadonlyMap<string, unknown>) {
    return (await this.options.issuesWithOthers?.(guildId, values)) ?? [];
  }

  /** The reason is the operator's: it names the key file. */
  private findKey(keyId: string | null): EncryptionKey | 'missing' {
    const { encryption, onKeyMissing } = this.options;
    try {
      return encryption.keyFor(keyId);
    } catch (error) {
      const hint = error instanceof TallyhookError ? error.hint : undefined;
      onKeyMissing?.({ reason: messageOf(error), hint: hint ?? 'Set the settings key (SETTINGS_KEY).' });
      return 'missing';
    }
  }

  /** Stores values. Null if they have to be validated again: the key of the database, or the community, has changed. */
  private async storeChange(change: NewChange) {
    const result = await this.store.save(change);
    if (result.status === 'other_key' || result.status === 'outdated') return null;
    if (result.status === 'saved' || result.status === 'repeated') await this.options.apply();
    return result;
  }

  private async changeWith(guildId: string, id: number): Promise<SettingsChange> {
    const [change] = await this.changesWith(guildId, [id]);
    if (change === undefined) throw new Error('The change could not be read.');
    return change;
  }

  private async changesWith(guildId: string, ids: readonly number[]): Promise<readonly SettingsChange[]> {
    return (await this.store.changesWithIds(guildId, ids)).map(toSettingsChange);
  }

  /** A test that arrived before its listing had a channel is announced as soon as there is one. */
  private async announceTests(guildId: string, { changes }: SettingsChange): Promise<void> {
    const now = this.options.clock.now();
    for (const { listing, path, after } of changes) {
      if (listing === null || path !== 'announceChannelId' || typeof after !== 'string') continue;
      await this.store.announceTest({ listing, guildId, channelId: after, since: now - maxTestAgeMs }, now);
    }
  }

  async undo({ changeId, ...author }: SettingsAuthor & { readonly changeId: number }): Promise<UndoResult> {
    const { guildId } = author;
    const [change] = await this.store.changesWithIds(guildId, [changeId]);
    if (change === undefined) return { status: 'not_found' };
    const { issues, version } = await this.validateUndo(guildId, change);
    if (issues.length > 0) return { status: 'invalid', issues };
    // What was encrypted stays encrypted, so this needs no key.
    const values = change.changes.map(({ listing, path, before }) => ({ listing, path, after: before }));
    const at = this.options.clock.now();
    const result = await this.storeChange({
      ...author,
      at,
      basis: changeId,
      undoes: changeId,
      values,
      ...(values.some(({ path }) => isIdentityPath(path)) && { validatedWith: version }),
    });
    if (result === null) return this.undo({ changeId, ...author });
    switch (result.status) {
      case 'saved':
      case 'repeated':
        return { status: 'undone', change: await this.changeWith(guildId, result.id) };
      case 'conflict':
        return { status: 'changed_since', since: await this.changesWith(guildId, result.changes) };
      default:
        return { status: 'already_undone' };
    }
  }

  /** Newest first. @param options.before only changes with a smaller id; null for the newest */
  async changes(
    guildId: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly SettingsChange[]> {
    const changes = await this.store.changes(guildId, { before, limit: Math.min(limit, maxShownChanges) });
    return changes.map(toSettingsChange);
  }

  /**
   * Adds a listing to the community. Its secrets are valid when the promise resolves (in other processes within 5 s).
   * Repeating it with the same interaction id returns the same listing, but null in place of generated secrets.
   */
  async link(link: NewLink): Promise<LinkResult> {
    const { voteSecret, guildId, authorId, interactionId } = link;
    const author = { guildId, authorId, interactionId };
    const secret = voteSecret ?? generateSecret();
    const { name, changes } = linkChanges(link, secret);
    const saved = (await this.findInteraction(author)) ?? (await this.saveChanges(author, changes, { basis: null }));
    // The same interaction may have linked it just now.
    const result = saved.status === 'invalid' ? ((await this.findInteraction(author)) ?? saved) : saved;
    if (result.status === 'invalid') return result;
    if (result.status !== 'saved') throw new Error('A new listing cannot be in conflict.');
    const linked = result.change.changes.find(({ path }) => path === linkPath)?.listing;
    const listing = (await this.read(author.guildId)).listings.find((each) => each.name === linked);
    if (listing === undefined) return { status: 'invalid', issues: [unknownListing(linked ?? name)] };
    const isNew = linked === name;
    const secrets = { voteSecret: isNew && voteSecret === null ? secret : null, premiumSecret: null };
    return { status: 'linked', listing, change: result.change, secrets };
  }

  /** The name of a listing to be on a site, and the address of its webhook, which the owner enters there first. */
  reserve(site: string, name: string = newListingName(site)): { readonly name: string; readonly address: string } {
    return { name, address: listingAddress(name, this.options.publicUrl) };
  }

  /** Adds what is not needed to link a listing. A secret is added as {@link rotateSecret} does. */
  describe({ listing, details, ...author }: OfListing & { readonly details: ListingDetails }): Promise<SaveResult> {
    return this.changeListing(author, listing, (current) => detailChanges(current, details));
  }

  /** Replaces or removes (null) an API key. @param replacement.targetId the server or bot of the key, or null */
  async replaceKey({
    listing,
    lookupKey,
    targetId,
    ...author
  }: OfListing & { readonly lookupKey: string | null; readonly targetId: string | null }): Promise<SaveResult> {
    const { listings } = await this.open(author.guildId);
    const current = listings.find((each) => each.name === listing);
    if (current === undefined) return { status: 'invalid', issues: [unknownListing(listing)] };
    const target = await this.options.findTarget(current);
    const knownId = target.isKnown ? target.id : null;
    if (targetId !== null && knownId !== null && targetId !== knownId) {
      return { status: 'invalid', issues: [keyOfOtherListing(listing)] };
    }
    const changes = [
      { listing, path: 'lookupKey', value: lookupKey ?? undefined },
      ...(current.linked && current.id === null && targetId !== null
        ? [{ listing, path: linkPath, value: { kind: current.kind, id: targetId } }]
        : []),
    ];
    const targetIds = new Map(targetId === null ? [] : [[listing, targetId]]);
    return this.saveChanges(author, changes, { basis: null, targetIds });
  }

  /**
   * Adds a webhook secret: a pasted one, or a generated one (null). The newest of the earlier secrets stays valid, so
   * that the service can be changed afterwards; {@link dropOldSecrets} ends that.
   */
  async rotateSecret({
    listing,
    family,
    secret,
    ...author
  }: OfListing & { readonly family: SecretFamily; readonly secret: string | null }): Promise<RotateResult> {
    const added = secret ?? generateSecret();
    const path = `${family}Secrets` as const;
    const repeated = await this.findInteraction(author);
    const result =
      repeated ?? (await this.changeListing(author, listing, (current) => [withSecret(current, path, added)]));
    if (result.status === 'invalid') return result;
    if (result.status !== 'saved') throw new Error('A new secret cannot be in conflict.');
    const shown = repeated === null && secret === null ? added : null;
    const secrets = {
      voteSecret: family === 'vote' ? shown : null,
      premiumSecret: family === 'premium' ? shown : null,
    };
    return { status: 'saved', change: result.change, secrets };
  }

  dropOldSecrets({ listing, family, ...author }: OfListing & { readonly family: SecretFamily }): Promise<SaveResult> {
    return this.changeListing(author, listing, (current) => {
      const path = `${family}Secrets` as const;
      if (current[path].length < 2) return [];
      return [{ listing, path, value: current[path].slice(0, 1) }];
    });
  }

  /** Ends one secret for votes. Without others, those of the file are in effect again. */
  dropSecret({ listing, secret, ...author }: OfListing & { readonly secret: string }): Promise<SaveResult> {
    return this.changeListing(author, listing, ({ voteSecrets }) => {
      const others = voteSecrets.filter((each) => each !== secret);
      return [{ listing, path: 'voteSecrets', value: others.length === 0 ? undefined : others }];
    });
  }

  /** Removes a listing that was linked by {@link link}. Its votes and credits stay; it can be undone. */
  async unlink({ listing, ...author }: OfListing): Promise<SaveResult> {
    const { stored } = await this.open(author.guildId);
    return this.changeListing(author, listing, (current) => {
      if (!current.linked) return { ...unknownListing(listing), problem: 'is a listing of the operator.' };
      const paths = stored.settings.filter((each) => each.listing === listing).map(({ path }) => path);
      return paths.map((path) => ({ listing, path, value: undefined }));
    });
  }

  /**
   * The newest test or vote for a listing of the community that any process has received since `since` (ms since the
   * epoch); null if there is none. Tests come first, and of votes only the newest of the database are searched.
   */
  async arrivedSince(guildId: string, listing: string, since: number): Promise<Arrival | null> {
    const { listings } = await this.open(guildId);
    return listings.some((each) => each.name === listing) ? this.store.arrivedSince(listing, since) : null;
  }

  /** Settings of `/setup` without secrets, in the form of the configuration file. */
  async export(guildId: string): Promise<string> {
    const { opened, listings } = await this.open(guildId);
    return exportSettings(guildId, { settings: opened.settings, listings, withSecrets: false });
  }

  /** The changes that put an exported file in place of what is stored, except missing secrets, or what is wrong with it. */
  async readExport(guildId: string, text: string): Promise<ReturnType<typeof importedChanges>> {
    const { opened, listings } = await this.open(guildId);
    return importedChanges(text, { settings: opened.settings, listings });
  }

  /** Changes of one listing; `decide` returns the issue if it cannot be changed. */
  private async changeListing(
    author: SettingsAuthor,
    name: string,
    decide: (listing: ListingConfig) => readonly SettingChange[] | SettingIssue,
  ): Promise<SaveResult> {
    const { listings } = await this.open(author.guildId);
    const listing = listings.find((each) => each.name === name);
    const decided = listing === undefined ? unknownListing(name) : decide(listing);
    if ('code' in decided) return { status: 'invalid', issues: [decided] };
    return this.saveChanges(author, decided, { basis: null });
  }

  private async validateUndo(guildId: string, change: StoredChange) {
    const { stored, opened } = await this.open(guildId);
    const isUndone = ({ listing, path }: { listing: string; path: string }) =>
      change.changes.some((each) => each.listing === listing && each.path === path);
    const restored = change.changes.flatMap(({ listing, path, before }) =>
      before === null ? [] : [{ listing, path, ...before }],
    );
    const settings = [...stored.settings.filter((each) => !isUndone(each)), ...restored];
    const after = openSettings({ guildId, settings }, this.options.encryption).settings;
    const issues = await this.issuesOf({ guildId, before: opened.settings, after, changed: restored });
    return { issues, version: stored.version };
  }

  /** The listings of a community as they are, and with other values of settings that are not secret. */
  async listingsWith(guildId: string, changes: readonly SettingChange[]) {
    const { opened, listings: current } = await this.open(guildId);
    const settings = withChanges(opened.settings, changes);
    return { current, changed: communityConfig(this.options.base(), guildId, settings).listings };
  }

  private async findInteraction({ guildId, interactionId }: SettingsAuthor) {
    const id = await this.store.changeOfInteraction(guildId, interactionId);
    return id === null ? null : ({ status: 'saved', change: await this.changeWith(guildId, id) } as const);
  }
}

/** How old a test may be that is announced later (ms). */
const maxTestAgeMs = day;

type OfListing = SettingsAuthor & { readonly listing: string };

/* The changes that link a listing, and that add to it. */

/** 32 characters, which every form accepts. */
function generateSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** A permanent name that nobody can guess, for a listing of a kind or site. */
export function newListingName(what: string): string {
  return `${what}-${randomBytes(5).toString('hex')}`;
}

function linkChanges(
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

function detailChanges(
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
function withSecret(listing: ListingConfig, path: 'voteSecrets' | 'premiumSecrets', added: string): SettingChange {
  const earlier = listing[path].filter((each) => each !== added).slice(0, 1);
  return { listing: listing.name, path, value: [added, ...earlier] };
}

/** The settings that others need, each once: the listings of a guild share them. */
function missingIn([listing]: readonly ListingConfig[]): readonly SettingIssue[] {
  const missing = listing === undefined ? [] : missingSettings(listing);
  return missing.map((each) => ({ ...each, listing: null, code: 'missing', hint: null }));
}

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
function isIdentityPath(path: string): boolean {
  return path === linkPath || path === 'lookupKey';
}

/**
 * Why changed listings cannot be in the guild: one server or bot is linked once, because otherwise a vote would count
 * for each of its listings. What the operator has configured counts, too.
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

/** True if two listings of one kind are the same server or bot; null if that cannot be found out now. */
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

function linkIssue(listing: string | null, code: SettingIssue['code'], problem: string, hint: string): SettingIssue {
  return { listing, path: linkPath, code, problem, hint };
}

function alreadyLinked({ name, linked }: ListingConfig): SettingIssue {
  if (!linked) {
    const problem = `was set up by the operator already, as ${name}.`;
    return linkIssue(name, 'operators_listing', problem, 'Change its settings instead.');
  }
  const hint = 'Replace its key or its secrets instead.';
  return linkIssue(name, 'already_linked', `is linked already, as ${name}.`, hint);
}

function notCompared({ name }: ListingConfig): SettingIssue {
  const hint = `Try again later. If this stays, give ${name} its id in the file of TALLYHOOK_CONFIG, or a valid API key.`;
  return linkIssue(name, 'not_compared', `may be the same listing as ${name}.`, hint);
}

const tooManyListings: SettingIssue = {
  ...linkIssue(null, 'invalid', `is one of more than ${maxListings} listings.`, 'Unlink another one first.'),
  rule: rule('atMost', { max: maxListings }),
};

/** Names are generated, so nobody gets this by accident. */
const nameTaken = linkIssue(
  null,
  'invalid',
  'has a name that a listing of another server has or had.',
  'Link it again.',
);

function keyOfOtherListing(listing: string): SettingIssue {
  const problem = 'belongs to another listing.';
  return { listing, path: 'lookupKey', code: 'other_listing', problem, hint: 'Link that listing instead.' };
}

function unknownListing(listing: string, path: string = linkPath): SettingIssue {
  const verb = path === linkPath ? 'is' : 'belongs to';
  const problem = `${verb} a listing that does not exist in this server.`;
  return { listing, path, code: 'unknown_listing', problem, hint: 'Run /setup again.' };
}
