import type { SettingIssue } from '../../../commands/setup-port.ts';
import { isSecretPath, type OpenedSetting } from '../../../config/community-config.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { codesPath, communityPaths, itemOfCodes, linkPath, listingPaths } from '../../core/settings/setting-paths.ts';
import { parseJson } from '../../platform/json.ts';
import type { SettingChange } from './stored-changes.ts';

/** Longest file that is imported (characters). */
const maxLength = 1_000_000;

interface Community {
  readonly settings: readonly OpenedSetting[];
  readonly listings: readonly ListingConfig[];
}

/**
 * What `/setup` stored, in the form of the file of `TALLYHOOK_CONFIG`: JSON with a list of listings. The settings that
 * they share are in the first one. Null means that something is switched off.
 */
export function exportSettings(
  guildId: string,
  { settings, listings, withSecrets }: Community & { readonly withSecrets: boolean },
): string {
  const shown = settings.filter(({ path }) => withSecrets || !isSecretPath(path));
  const exported = listings.map(({ name, kind, id }, index) => {
    const own = shown.filter((each) => each.listing === name && each.path !== linkPath);
    const shared = index === 0 ? shown.filter((each) => each.listing === '') : [];
    const listing: Record<string, unknown> = { name, kind, ...(id !== null && { id }), guildId };
    for (const { path, value } of [...shared, ...own]) {
      if (itemOfCodes(path) === null) setAt(listing, path, path === 'shop' ? withCodes(value, shared) : value);
    }
    return listing;
  });
  return `${JSON.stringify({ listings: exported }, null, 2)}\n`;
}

/** The codes of the items in place of their number, if they are exported. */
function withCodes(shop: unknown, settings: readonly OpenedSetting[]): unknown {
  if (!Array.isArray(shop)) return shop;
  return shop.map((item: Record<string, unknown>) => {
    const codes = settings.find(({ path }) => path === codesPath(String(item['id'])));
    if (codes === undefined) return item;
    const { codeCount: _, ...others } = item;
    return { ...others, codes: codes.value };
  });
}

function setAt(listing: Record<string, unknown>, path: string, value: unknown): void {
  const [top = '', name] = path.split('.');
  if (name === undefined) listing[top] = value;
  else listing[top] = { ...(listing[top] as object | undefined), [name]: value };
}

/** The changes that make the stored settings those of an exported file. Secrets that are not in the file stay. */
export function importedChanges(
  text: string,
  { settings, listings }: Community,
): { readonly changes: readonly SettingChange[] } | { readonly issues: readonly SettingIssue[] } {
  const file = text.length > maxLength ? undefined : parseJson(text);
  const entries = isRecord(file) && Array.isArray(file['listings']) ? file['listings'].filter(isRecord) : [];
  if (entries.length === 0) return { issues: [issue('listings', 'is not in the file.', 'Use an exported file.')] };
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
      issues.push(issue('name', problem, 'Link it first, or remove it from the file.'));
      continue;
    }
    for (const path of listingPaths) {
      const value = valueAt(entry, path);
      if (value !== undefined || isStored(settings, listing.name, path)) add({ listing: listing.name, path, value });
    }
    for (const path of ['lookupKey', 'voteSecrets', 'premiumSecrets']) {
      const value = valueAt(entry, path);
      if (value !== undefined) add({ listing: listing.name, path, value });
    }
    issues.push(...unknownPaths(entry).map((path) => issue(path, 'is not a setting.', 'Remove it from the file.')));
  }
  return issues.length > 0 ? { issues } : { changes: [...changes.values()] };
}

/** The listing with the same name, or else the same kind and id. */
function matching(entry: Record<string, unknown>, listings: readonly ListingConfig[]): ListingConfig | undefined {
  const { name, kind, id } = entry as { name?: unknown; kind?: unknown; id?: unknown };
  return (
    listings.find((each) => each.name === name) ??
    listings.find((each) => each.kind === kind && each.id !== null && each.id === id)
  );
}

const knownPaths: readonly string[] = [
  ...['name', 'kind', 'id', 'guildId', 'lookupKey', 'voteSecrets', 'premiumSecrets'],
  ...communityPaths,
  ...listingPaths,
];

function unknownPaths(entry: Record<string, unknown>): string[] {
  return Object.entries(entry).flatMap(([top, value]) => {
    const isGroup = (top === 'rewards' || top === 'announcements') && isRecord(value);
    const paths = isGroup ? Object.keys(value).map((name) => `${top}.${name}`) : [top];
    return paths.filter((path) => !knownPaths.includes(path));
  });
}

function valueAt(entry: Record<string, unknown>, path: string): unknown {
  const [top = '', name] = path.split('.');
  const value = entry[top];
  return name === undefined ? value : isRecord(value) ? value[name] : undefined;
}

function isStored(settings: readonly OpenedSetting[], listing: string, path: string): boolean {
  return settings.some((each) => each.listing === listing && each.path === path);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function issue(path: string, problem: string, hint: string): SettingIssue {
  return { listing: null, path, code: 'invalid', problem, hint };
}
