import { randomBytes } from 'node:crypto';
import type { SaveResult, SettingIssue, SettingsAuthor, Setup, UndoResult } from '../../../commands/setup-port.ts';
import type { ListingBase } from '../../../config/listing-source.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { linkPath } from '../../core/settings/listing-settings.ts';
import type { SettingsStore, StoredChange } from '../../core/settings/stored-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Encryption } from '../../platform/encryption/encryption.ts';
import { describeCommunity, toSettingsChange } from './describe-community.ts';
import { type FindTarget, isIdentityPath } from './link-issues.ts';
import { openSettings } from './opened-settings.ts';
import { createSettingsWriter, type KeyMissing } from './save-settings.ts';
import { exportSettings, importedChanges } from './settings-file.ts';
import type { SettingChange } from './stored-changes.ts';

/** Changes that an undo compares with. */
const maxShownChanges = 100;

/** The settings of all communities, as `/setup` reads and changes them. */
export function createSetup(options: {
  readonly store: SettingsStore;
  readonly encryption: Encryption;
  readonly base: () => ListingBase;
  /** The server or bot that a listing is. */
  readonly findTarget: FindTarget;
  /** Applies what is stored, here at once and soon in other processes. */
  readonly apply: () => Promise<void>;
  /** Called with the cause, for the operator, if a secret cannot be stored. */
  readonly onKeyMissing?: (cause: KeyMissing) => void;
  readonly publicUrl: string | null;
  readonly clock: Clock;
}): Setup {
  const { store, encryption, base, findTarget, publicUrl, clock } = options;
  const writer = createSettingsWriter(options);

  async function read(guildId: string) {
    const { stored, opened } = await writer.read(guildId);
    const [latestChange = null] = await store.changes(guildId, { before: null, limit: 1 });
    const { version, keyId } = { version: latestChange?.id ?? 0, keyId: (await store.state()).keyId };
    const canStoreSecrets = encryption.canSeal && (keyId === null || canUse(encryption, keyId));
    return describeCommunity(base(), {
      ...{ guildId: stored.guildId, version, opened, latestChange, canStoreSecrets, publicUrl },
    });
  }

  /** Changes of one listing; `decide` returns the issue if it cannot be changed. */
  async function changeListing(
    author: SettingsAuthor,
    name: string,
    decide: (listing: ListingConfig) => readonly SettingChange[] | SettingIssue,
  ): Promise<SaveResult> {
    const { listings } = await writer.read(author.guildId);
    const listing = listings.find((each) => each.name === name);
    const decided = listing === undefined ? unknownListing(name) : decide(listing);
    if ('code' in decided) return { status: 'invalid', issues: [decided] };
    return writer.save(author, decided, { basis: null });
  }

  async function undo({ changeId, ...author }: SettingsAuthor & { readonly changeId: number }): Promise<UndoResult> {
    const { guildId } = author;
    const [change] = await store.changesWithIds(guildId, [changeId]);
    if (change === undefined) return { status: 'not_found' };
    const { issues, version } = await validateUndo(guildId, change);
    if (issues.length > 0) return { status: 'invalid', issues };
    // What was encrypted stays encrypted, so this needs no key.
    const values = change.changes.map(({ listing, path, before }) => ({ listing, path, after: before }));
    const result = await writer.store({
      ...{ ...author, at: clock.now(), basis: changeId, undoes: changeId, values },
      ...(values.some(({ path }) => isIdentityPath(path)) && { validatedWith: version }),
    });
    if (result === null) return undo({ changeId, ...author });
    switch (result.status) {
      case 'saved':
      case 'repeated':
        return { status: 'undone', change: await writer.change(guildId, result.id) };
      case 'conflict':
        return {
          status: 'changed_since',
          since: (await store.changesWithIds(guildId, result.changes)).map(toSettingsChange),
        };
      default:
        return { status: 'already_undone' };
    }
  }

  async function validateUndo(
    guildId: string,
    change: StoredChange,
  ): Promise<{ readonly issues: readonly SettingIssue[]; readonly version: number }> {
    const { stored, opened } = await writer.read(guildId);
    const isUndone = ({ listing, path }: { listing: string; path: string }) =>
      change.changes.some((each) => each.listing === listing && each.path === path);
    const restored = change.changes.flatMap(({ listing, path, before }) =>
      before === null ? [] : [{ listing, path, ...before }],
    );
    const settings = [...stored.settings.filter((each) => !isUndone(each)), ...restored];
    const after = openSettings({ guildId, settings }, encryption).settings;
    const issues = await writer.issuesOf({ guildId, before: opened.settings, after, changed: restored });
    return { issues, version: stored.version };
  }

  return {
    ...{ read, undo },
    save: ({ changes, basis, ...author }) => {
      const listed = changes.map(({ listing, path, value }) => ({ listing: listing ?? '', path, value }));
      return writer.save(author, listed, { basis });
    },
    changes: async (guildId, { before, limit }) =>
      (await store.changes(guildId, { before, limit: Math.min(limit, maxShownChanges) })).map(toSettingsChange),
    async link({ kind, targetId, lookupKey, voteSecret, premiumSecret, ...author }) {
      const generated = {
        voteSecret: voteSecret ?? generateSecret(),
        premiumSecret: premiumSecret ?? generateSecret(),
      };
      const name = `${kind}-${randomBytes(5).toString('hex')}`;
      const changes: SettingChange[] = [
        { listing: name, path: linkPath, value: { kind, id: targetId } },
        { listing: name, path: 'voteSecrets', value: [generated.voteSecret] },
        { listing: name, path: 'premiumSecrets', value: [generated.premiumSecret] },
        ...(lookupKey === null ? [] : [{ listing: name, path: 'lookupKey', value: lookupKey }]),
      ];
      const saved = (await findInteraction(author)) ?? (await writer.save(author, changes, { basis: null }));
      // The same interaction may have linked it just now.
      const result = saved.status === 'invalid' ? ((await findInteraction(author)) ?? saved) : saved;
      if (result.status === 'invalid') return result;
      if (result.status !== 'saved') throw new Error('A new listing cannot be in conflict.');
      const linked = result.change.changes.find(({ path }) => path === linkPath)?.listing;
      const listing = (await read(author.guildId)).listings.find((each) => each.name === linked);
      if (listing === undefined) return { status: 'invalid', issues: [unknownListing(linked ?? name)] };
      const isNew = linked === name;
      const secrets = {
        voteSecret: isNew && voteSecret === null ? generated.voteSecret : null,
        premiumSecret: isNew && premiumSecret === null ? generated.premiumSecret : null,
      };
      return { status: 'linked', listing, change: result.change, secrets };
    },
    async replaceKey({ listing, lookupKey, targetId, ...author }) {
      const { listings } = await writer.read(author.guildId);
      const current = listings.find((each) => each.name === listing);
      if (current === undefined) return { status: 'invalid', issues: [unknownListing(listing)] };
      const target = await findTarget(current);
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
      return writer.save(author, changes, { basis: null, targetIds });
    },
    async rotateSecret({ listing, family, secret, ...author }) {
      const added = secret ?? generateSecret();
      const path = `${family}Secrets` as const;
      const repeated = await findInteraction(author);
      const result =
        repeated ??
        (await changeListing(author, listing, (current) => {
          const earlier = current[path].filter((each) => each !== added).slice(0, 1);
          return [{ listing, path, value: [added, ...earlier] }];
        }));
      if (result.status === 'invalid') return result;
      if (result.status !== 'saved') throw new Error('A new secret cannot be in conflict.');
      const shown = repeated === null && secret === null ? added : null;
      const secrets = {
        voteSecret: family === 'vote' ? shown : null,
        premiumSecret: family === 'premium' ? shown : null,
      };
      return { status: 'saved', change: result.change, secrets };
    },
    dropOldSecrets: ({ listing, family, ...author }) =>
      changeListing(author, listing, (current) => {
        const path = `${family}Secrets` as const;
        if (current[path].length < 2) return [];
        return [{ listing, path, value: current[path].slice(0, 1) }];
      }),
    async unlink({ listing, ...author }) {
      const { stored } = await writer.read(author.guildId);
      return changeListing(author, listing, (current) => {
        if (!current.linked) return { ...unknownListing(listing), problem: 'is a listing of the operator.' };
        const paths = stored.settings.filter((each) => each.listing === listing).map(({ path }) => path);
        return paths.map((path) => ({ listing, path, value: undefined }));
      });
    },
    async testSince(guildId, listing, since) {
      const { listings } = await writer.read(guildId);
      return listings.some((each) => each.name === listing) ? store.testSince(listing, since) : null;
    },
    async export(guildId) {
      const { opened, listings } = await writer.read(guildId);
      return exportSettings(guildId, { settings: opened.settings, listings, withSecrets: false });
    },
    async import({ text, targetIds = new Map(), ...author }) {
      const { opened, listings } = await writer.read(author.guildId);
      const imported = importedChanges(text, { settings: opened.settings, listings });
      if ('issues' in imported) return { status: 'invalid', issues: imported.issues };
      return writer.save(author, imported.changes, { basis: null, targetIds });
    },
  };

  /** The result of an interaction that was saved before. */
  async function findInteraction({ guildId, interactionId }: SettingsAuthor) {
    const id = await store.changeOfInteraction(guildId, interactionId);
    return id === null ? null : ({ status: 'saved', change: await writer.change(guildId, id) } as const);
  }
}

function keyOfOtherListing(listing: string): SettingIssue {
  const problem = 'belongs to another listing.';
  return { listing, path: 'lookupKey', code: 'other_listing', problem, hint: 'Link that listing instead.' };
}

function unknownListing(listing: string): SettingIssue {
  const problem = 'is a listing that does not exist in this server.';
  return { listing, path: linkPath, code: 'unknown_listing', problem, hint: 'Run /setup again.' };
}

/** 32 characters, which every form accepts. */
function generateSecret(): string {
  return randomBytes(24).toString('base64url');
}

function canUse(encryption: Encryption, keyId: string): boolean {
  try {
    encryption.keyFor(keyId);
    return true;
  } catch {
    return false;
  }
}
