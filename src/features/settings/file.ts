import { isObject, type JsonObject } from '@tallyhook/platform/json';
import { InvalidJsonError, parseJsonText } from '@tallyhook/platform/parse-json-text';
import type { OpenedSetting } from '../../../config/listings.ts';
import { schemaAddress } from '../../../config/listings-file.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { secretPaths } from '../../core/settings/listing-settings.ts';
import { valueAt, withValuesAt } from '../../core/settings/setting-spec.ts';
import { linkPath } from '../../core/settings/stored-settings.ts';
import { rule } from '../../core/settings/value-schemas.ts';
import { communityPaths, isSecretPath, joinParts, listingPaths } from '../settings.ts';
import type { SettingIssue } from './community.ts';
import type { SettingChange } from './stored.ts';

const maxLength = 1_000_000;

interface Community {
  readonly settings: readonly OpenedSetting[];
  readonly listings: readonly ListingConfig[];
}

/** Export of what `/setup` stored, as in the file of `TALLYHOOK_CONFIG`; shared settings are in the first listing. */
export function exportSettings(
  guildId: string,
  { settings, listings, withSecrets }: Community & { readonly withSecrets: boolean },
): string {
  const shown = settings.filter(({ path }) => withSecrets || !isSecretPath(path));
  const exported = listings.map(({ name, kind, id, site }, index) => {
    const storedOf = (owner: string) =>
      new Map(shown.filter((each) => each.listing === owner).map(({ path, value }) => [path, value]));
    const own = [...storedOf(name)].filter(([path]) => path !== linkPath);
    const shared = index === 0 ? joinParts(storedOf('')) : [];
    const { page, ...described } = site?.custom ?? {};
    const custom = site?.custom && { custom: page ? { page, ...described } : described };
    const target = { ...(site && { site: site.id }), ...custom, ...(id !== null && { id }) };
    return withValuesAt({ name, kind, ...target, guildId }, [...shared, ...own]);
  });
  return `${JSON.stringify({ $schema: schemaAddress, listings: exported }, null, 2)}\n`;
}

/** The changes that make the stored settings those of an exported file. Secrets that are not in the file stay. */
export function importedChanges(
  text: string,
  { settings, listings }: Community,
): { readonly changes: readonly SettingChange[] } | { readonly issues: readonly SettingIssue[] } {
  const file = text.length > maxLength ? undefined : parseFile(text);
  if (file instanceof InvalidJsonError) {
    return { issues: [issue('listings', `is not in the file, which is ${file.message}.`, file.hint)] };
  }
  const entries = isObject(file) && Array.isArray(file['listings']) ? file['listings'].filter(isObject) : [];
  if (entries.length === 0) {
    return {
      issues: [{ ...issue('listings', 'is not in the file.', 'Use an exported file.'), rule: rule('exportedFile') }],
    };
  }
  const changes = new Map<string, SettingChange>();
  const add = (change: SettingChange) => changes.set(JSON.stringify([change.listing, change.path]), change);
  const issues: SettingIssue[] = [];
  for (const path of communityPaths) {
    const value = entries.map((entry) => valueAt(entry, path)).find((each) => each !== undefined);
    if (value !== undefined || isStored(settings, '', path)) add({ listing: '', path, value });
  }
  for (const entry of entries) {
    const listing = matching(entry, listings);
    if (listing === undefined) {
      const problem = `names the listing ${JSON.stringify(entry['name'])}, which this server does not have.`;
      const name = String(entry['name']).slice(0, 50);
      const unknown = issue('name', problem, 'Link it first, or remove it from the file.');
      issues.push({ ...unknown, rule: rule('otherServer', { name }) });
      continue;
    }
    for (const path of listingPaths) {
      const value = valueAt(entry, path);
      if (value !== undefined || isStored(settings, listing.name, path)) add({ listing: listing.name, path, value });
    }
    for (const path of [...secretPaths, 'slug']) {
      const value = valueAt(entry, path);
      if (value !== undefined) add({ listing: listing.name, path, value });
    }
    for (const path of unknownPaths(entry)) {
      const unknown = issue(path, 'is not a setting.', 'Remove it from the file.');
      issues.push({ ...unknown, rule: rule('unknownSetting') });
    }
  }
  return issues.length > 0 ? { issues } : { changes: [...changes.values()] };
}

function parseFile(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return error;
    throw error;
  }
}

/** The listing with the same name, or else the same kind, id and site. */
function matching(entry: JsonObject, listings: readonly ListingConfig[]): ListingConfig | undefined {
  return (
    listings.find(({ name }) => name === entry['name']) ??
    listings.find(
      ({ kind, id, site }) =>
        id !== null && kind === entry['kind'] && id === entry['id'] && site?.id === (entry['site'] ?? undefined),
    )
  );
}

const knownPaths: readonly string[] = [
  ...['name', 'kind', 'site', 'custom', 'slug', 'id', 'guildId'],
  ...secretPaths,
  ...communityPaths,
  ...listingPaths,
];

function unknownPaths(entry: JsonObject): string[] {
  return Object.entries(entry).flatMap(([top, value]) => {
    const isGroup = (top === 'rewards' || top === 'announcements') && isObject(value);
    const paths = isGroup ? Object.keys(value).map((name) => `${top}.${name}`) : [top];
    return paths.filter((path) => !knownPaths.includes(path));
  });
}

function isStored(settings: readonly OpenedSetting[], listing: string, path: string): boolean {
  return settings.some((each) => each.listing === listing && each.path === path);
}

function issue(path: string, problem: string, hint: string): SettingIssue {
  return { listing: null, path, code: 'invalid', problem, hint };
}
