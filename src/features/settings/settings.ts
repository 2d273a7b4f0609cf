import { randomBytes } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';
import { communityConfig } from '../../../config/listings.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { type Arrival, linkPath, type StoredChange } from '../../core/settings/stored-settings.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import {
  type CommunitySettings,
  describeCommunity,
  type LinkResult,
  type ListingDetails,
  listingAddress,
  type NewLink,
  type RotateResult,
  type SaveResult,
  type SecretFamily,
  type SettingIssue,
  type SettingsAuthor,
  type SettingsChange,
  type SettingsEdit,
  toSettingsChange,
  type UndoResult,
} from './community.ts';
import { exportSettings, importedChanges } from './file.ts';
import {
  createSettingsWriter,
  isIdentityPath,
  keyOfOtherListing,
  type SettingsWriter,
  unknownListing,
  type WriterOptions,
} from './save.ts';
import { canUseKey, openSettings, type SettingChange, withChanges } from './stored.ts';

/** Changes that an undo compares with. */
const maxShownChanges = 100;

interface SetupOptions extends WriterOptions {
  readonly publicUrl: string | null;
}

/** The settings of all communities, as `/setup` reads and changes them. Every method rejects with the errors of the store. */
export class Settings {
  private readonly options: SetupOptions;
  private readonly store: SettingsStore;
  private readonly writer: SettingsWriter;

  constructor(options: SetupOptions) {
    this.options = options;
    this.store = options.store;
    this.writer = createSettingsWriter(options);
  }

  async read(guildId: string): Promise<CommunitySettings> {
    const { encryption, base, publicUrl } = this.options;
    const { stored, opened } = await this.writer.read(guildId);
    const [latestChange = null] = await this.store.changes(guildId, { before: null, limit: 1 });
    const { keyId } = await this.store.state();
    return describeCommunity(base(), {
      guildId: stored.guildId,
      version: latestChange?.id ?? 0,
      opened,
      latestChange,
      canStoreSecrets: encryption.canSeal && (keyId === null || canUseKey(encryption, keyId)),
      publicUrl,
    });
  }

  async save({ changes, basis, ...author }: SettingsEdit): Promise<SaveResult> {
    const listed = changes.map(({ listing, path, value }) => ({ listing: listing ?? '', path, value }));
    const result = await this.writer.save(author, listed, { basis });
    if (result.status === 'saved') await this.announceTests(author.guildId, result.change);
    return result;
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
    const result = await this.writer.store({
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
        return { status: 'undone', change: await this.writer.change(guildId, result.id) };
      case 'conflict': {
        const since = await this.store.changesWithIds(guildId, result.changes);
        return { status: 'changed_since', since: since.map(toSettingsChange) };
      }
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
    const saved = (await this.findInteraction(author)) ?? (await this.writer.save(author, changes, { basis: null }));
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

  /**
   * Replaces or removes (null) the API key of a listing.
   * @param replacement.targetId Discord id of the server or bot that the key belongs to; null if it is not known
   */
  async replaceKey({
    listing,
    lookupKey,
    targetId,
    ...author
  }: OfListing & { readonly lookupKey: string | null; readonly targetId: string | null }): Promise<SaveResult> {
    const { listings } = await this.writer.read(author.guildId);
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
    return this.writer.save(author, changes, { basis: null, targetIds });
  }

  /**
   * Adds a webhook secret: a pasted one, or a generated one (null). The newest of the earlier secrets stays valid, so that
   * the service can be changed afterwards; {@link dropOldSecrets} ends that.
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

  /** Removes all secrets but the newest one. */
  dropOldSecrets({ listing, family, ...author }: OfListing & { readonly family: SecretFamily }): Promise<SaveResult> {
    return this.changeListing(author, listing, (current) => {
      const path = `${family}Secrets` as const;
      if (current[path].length < 2) return [];
      return [{ listing, path, value: current[path].slice(0, 1) }];
    });
  }

  /** Removes a listing that was linked by {@link link}. Its votes and credits stay; it can be undone. */
  async unlink({ listing, ...author }: OfListing): Promise<SaveResult> {
    const { stored } = await this.writer.read(author.guildId);
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
    const { listings } = await this.writer.read(guildId);
    return listings.some((each) => each.name === listing) ? this.store.arrivedSince(listing, since) : null;
  }

  /** The settings that `/setup` stored for the community, without secrets: JSON in the form of the configuration file. */
  async export(guildId: string): Promise<string> {
    const { opened, listings } = await this.writer.read(guildId);
    return exportSettings(guildId, { settings: opened.settings, listings, withSecrets: false });
  }

  /**
   * Saves the settings of an export in place of the stored ones, except secrets that it does not contain, which stay.
   * @param file.targetIds Discord ids of the servers and bots that its API keys belong to, by the name of the listing
   */
  async import({
    text,
    targetIds = new Map(),
    ...author
  }: SettingsAuthor & {
    readonly text: string;
    readonly targetIds?: ReadonlyMap<string, string>;
  }): Promise<SaveResult> {
    const { opened, listings } = await this.writer.read(author.guildId);
    const imported = importedChanges(text, { settings: opened.settings, listings });
    if ('issues' in imported) return { status: 'invalid', issues: imported.issues };
    return this.writer.save(author, imported.changes, { basis: null, targetIds });
  }

  /** Changes of one listing; `decide` returns the issue if it cannot be changed. */
  private async changeListing(
    author: SettingsAuthor,
    name: string,
    decide: (listing: ListingConfig) => readonly SettingChange[] | SettingIssue,
  ): Promise<SaveResult> {
    const { listings } = await this.writer.read(author.guildId);
    const listing = listings.find((each) => each.name === name);
    const decided = listing === undefined ? unknownListing(name) : decide(listing);
    if ('code' in decided) return { status: 'invalid', issues: [decided] };
    return this.writer.save(author, decided, { basis: null });
  }

  private async validateUndo(guildId: string, change: StoredChange) {
    const { stored, opened } = await this.writer.read(guildId);
    const isUndone = ({ listing, path }: { listing: string; path: string }) =>
      change.changes.some((each) => each.listing === listing && each.path === path);
    const restored = change.changes.flatMap(({ listing, path, before }) =>
      before === null ? [] : [{ listing, path, ...before }],
    );
    const settings = [...stored.settings.filter((each) => !isUndone(each)), ...restored];
    const after = openSettings({ guildId, settings }, this.options.encryption).settings;
    const issues = await this.writer.issuesOf({ guildId, before: opened.settings, after, changed: restored });
    return { issues, version: stored.version };
  }

  /** The listings of a community as they are, and with other values of settings that are not secret. */
  async listingsWith(guildId: string, changes: readonly SettingChange[]) {
    const { opened, listings: current } = await this.writer.read(guildId);
    const settings = withChanges(opened.settings, changes);
    return { current, changed: communityConfig(this.options.base(), guildId, settings).listings };
  }

  /** The result of an interaction that was saved before. */
  private async findInteraction({ guildId, interactionId }: SettingsAuthor) {
    const id = await this.store.changeOfInteraction(guildId, interactionId);
    return id === null ? null : ({ status: 'saved', change: await this.writer.change(guildId, id) } as const);
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
