import type { SetupChecks } from '../../commands/setup-checks.ts';
import { createSetupDrafts } from '../../commands/setup-drafts.ts';
import type {
  ChangedSetting,
  CommunityPath,
  CommunitySettings,
  EffectiveValue,
  ListingPath,
  ListingSettings,
  SaveResult,
  SettingIssue,
  SettingsAuthor,
  SettingsChange,
  Setup,
} from '../../commands/setup-port.ts';
import { communityPaths, listingPaths } from '../../commands/setup-port.ts';
import type { SetupServices } from '../../commands/setup-services.ts';
import { systemClock } from '../../src/platform/clock.ts';

/** Settings in memory, to test what is shown. It validates only numbers. */
export interface MemorySetup extends Setup {
  /** By listing: when a test arrived. */
  readonly tests: Map<string, number>;
  /** Everything that was passed to it. */
  readonly calls: unknown[];
  readonly options: { canStoreSecrets: boolean };
}

const defaults: Readonly<Record<string, unknown>> = {
  cooldownHours: 12,
  'rewards.vote': 10,
  'rewards.premium': 100,
  'rewards.whenDenied': 0,
  'rewards.multipliers': [],
  'rewards.milestones': [],
  'rewards.milestoneRoles': 'all',
  'rewards.premiumRoles': {},
  'rewards.allListings': 0,
  'announcements.mode': 'each',
  'announcements.every': '1h',
  'announcements.voteButton': false,
  'announcements.reviews': false,
  'announcements.milestones': true,
  'announcements.premium': true,
  'announcements.party': true,
  'announcements.lostStreaks': false,
  timeZone: 'UTC',
  shop: [],
};

/** `/setup` with settings in memory; every key is accepted, and every role can be given. */
export function memorySetupServices(checks: Partial<SetupChecks> = {}): SetupServices & { settings: MemorySetup } {
  return {
    settings: memorySetup(),
    drafts: createSetupDrafts(systemClock),
    checks: {
      checkKey: async () => ({ status: 'valid', name: 'Lantern Harbour', targetId: null }),
      roleAccess: async () => null,
      channelsOf: async () => null,
      unassignedListings: () => [],
      listingNames: async () => new Map(),
      ...checks,
    },
  };
}

/** @param file values of the operator's file, by path */
export function memorySetup(file: Readonly<Record<string, unknown>> = {}): MemorySetup {
  const stored = new Map<string, unknown>();
  const listings: { name: string; kind: 'server' | 'bot'; targetId: string | null; secrets: [number, number] }[] = [];
  const history: SettingsChange[] = [];
  const calls: unknown[] = [];
  const tests = new Map<string, number>();
  const options = { canStoreSecrets: true };
  const keyOf = (listing: string | null, path: string) => `${listing ?? ''}:${path}`;

  function effective(listing: string | null, path: string): EffectiveValue {
    const key = keyOf(listing, path);
    if (stored.has(key)) return { value: stored.get(key), source: 'setup' };
    if (Object.hasOwn(file, path)) return { value: file[path], source: 'file' };
    return { value: defaults[path] ?? null, source: 'default' };
  }

  function valuesOf<Path extends string>(listing: string | null, paths: readonly Path[]) {
    return Object.fromEntries(paths.map((path) => [path, effective(listing, path)])) as Record<Path, EffectiveValue>;
  }

  function settingsOf({ name, kind, targetId, secrets }: (typeof listings)[number]): ListingSettings {
    const addresses = {
      vote: `https://votes.example.org/webhooks/${name}/vote`,
      premium: `https://votes.example.org/webhooks/${name}/premium`,
    };
    return {
      ...{ name, kind, targetId, addresses, origin: 'setup', hasLookupKey: true },
      ...{ voteSecrets: secrets[0], premiumSecrets: secrets[1] },
      values: valuesOf<ListingPath>(name, listingPaths),
    };
  }

  function note(author: SettingsAuthor, changes: readonly ChangedSetting[], undoes: number | null = null) {
    const change: SettingsChange = {
      ...{ id: history.length + 1, at: 1_780_000_000_000, authorId: author.authorId, changes, undoes, undoneBy: null },
    };
    history.push(change);
    return change;
  }

  function apply(author: SettingsAuthor, edits: readonly { listing: string | null; path: string; value: unknown }[]) {
    const changes = edits.map(({ listing, path, value }): ChangedSetting => {
      const key = keyOf(listing, path);
      const before = stored.get(key);
      if (value === undefined) stored.delete(key);
      else stored.set(key, value);
      return { listing, path, isSecret: false, before, after: value };
    });
    return note(author, changes);
  }

  const secretChange = (author: SettingsAuthor, listing: string, path: string): SaveResult => ({
    status: 'saved',
    change: note(author, [{ listing, path, isSecret: true, before: 1, after: 1 }]),
  });

  return {
    ...{ tests, calls, options },
    read: async (guildId): Promise<CommunitySettings> => ({
      guildId,
      listings: listings.map(settingsOf),
      values: valuesOf<CommunityPath>(null, communityPaths),
      version: history.length,
      latestChange: history.at(-1) ?? null,
      canStoreSecrets: options.canStoreSecrets,
      issues: [],
    }),
    async save(edit) {
      calls.push(edit);
      if (edit.changes.length === 0) return { status: 'unchanged' };
      const issues = edit.changes.flatMap(({ listing, path, value }): SettingIssue[] =>
        /vote|premium$|Hours/.test(path) && typeof value === 'string'
          ? [
              {
                ...{ listing, path, code: 'invalid', problem: 'is invalid: it must be a whole number.' },
                hint: 'Enter digits only.',
              },
            ]
          : [],
      );
      if (issues.length > 0) return { status: 'invalid', issues };
      const paths = edit.changes.map(({ path }) => path as string);
      const since = history.filter(
        ({ id, changes }) =>
          edit.basis !== null && id > edit.basis && changes.some((each) => paths.includes(each.path)),
      );
      if (since.length > 0) return { status: 'conflict', since };
      return { status: 'saved', change: apply(edit, edit.changes) };
    },
    async undo({ changeId, ...author }) {
      const index = history.findIndex(({ id }) => id === changeId);
      const change = history[index];
      if (change === undefined) return { status: 'not_found' };
      if (change.undoneBy !== null) return { status: 'already_undone' };
      const undone = apply(
        author,
        change.changes.map(({ listing, path, before }) => ({ listing, path, value: before })),
      );
      history[index] = { ...change, undoneBy: undone.id };
      return { status: 'undone', change: undone };
    },
    changes: async (_guildId, { before, limit }) =>
      history
        .toReversed()
        .filter(({ id }) => before === null || id < before)
        .slice(0, limit),
    async link(link) {
      calls.push(link);
      const listing = { name: `${link.kind}-${listings.length + 1}`, kind: link.kind, targetId: link.targetId };
      listings.push({ ...listing, secrets: [1, 1] });
      const after = { kind: link.kind, id: link.targetId };
      const change = note(link, [{ listing: listing.name, path: 'link', isSecret: false, before: undefined, after }]);
      return {
        status: 'linked',
        change,
        listing: settingsOf({ ...listing, secrets: [1, 1] }),
        secrets: {
          voteSecret: link.voteSecret === null ? 'vote-secret-of-the-test' : null,
          premiumSecret: link.premiumSecret === null ? 'premium-secret-of-the-test' : null,
        },
      };
    },
    async replaceKey(replacement) {
      calls.push(replacement);
      return secretChange(replacement, replacement.listing, 'lookupKey');
    },
    async rotateSecret(rotation) {
      const listing = listings.find(({ name }) => name === rotation.listing);
      if (listing) listing.secrets[rotation.family === 'vote' ? 0 : 1] += 1;
      const change = note(rotation, [
        { listing: rotation.listing, path: `${rotation.family}Secrets`, isSecret: true, before: 1, after: 2 },
      ]);
      const own = (family: string) =>
        rotation.family === family && rotation.secret === null ? `new-${family}-secret` : null;
      return { status: 'saved', change, secrets: { voteSecret: own('vote'), premiumSecret: own('premium') } };
    },
    dropOldSecrets: async (rotation) => secretChange(rotation, rotation.listing, `${rotation.family}Secrets`),
    async unlink(unlink) {
      listings.splice(
        listings.findIndex(({ name }) => name === unlink.listing),
        1,
      );
      const change = { listing: unlink.listing, path: 'link', isSecret: false, before: { kind: 'server' } };
      return { status: 'saved', change: note(unlink, [{ ...change, after: undefined }]) };
    },
    testSince: async (_guildId, listing, since) => {
      const at = tests.get(listing) ?? 0;
      return at >= since && at > 0 ? at : null;
    },
    export: async () => JSON.stringify(Object.fromEntries(stored)),
    async import(file) {
      calls.push(file);
      return { status: 'saved', change: apply(file, []) };
    },
  };
}
