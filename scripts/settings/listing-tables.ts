import { type JsonObject, objectOf, textOf } from '@tallyhook/platform/json';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { communityPaths } from '../../src/features/settings.ts';

type Row = readonly [setting: string, schema: JsonObject];

const file = objectOf(listingsFileSchema((markdown) => markdown));
const fields = propertiesOf(objectOf(objectOf(file['properties'])['listings']));
const communityFields = ['guildId', ...communityPaths.filter((path) => path in fields && path !== 'shop')];
const siteFields = ['site', 'siteKey', 'slug', 'confirm', 'custom'];

/** Tables of what a listing has in the file of `TALLYHOOK_CONFIG`, by the names in their marks on the page. */
export const listingTables: Readonly<Record<string, string>> = {
  listing: table(rowsWhere((name) => ![...communityFields, ...siteFields].includes(name))),
  sites: table(rowsWhere((name) => siteFields.includes(name)).flatMap(withParts)),
  community: table(rowsWhere((name) => communityFields.includes(name))),
  rewards: table(rowsOf(objectOf(fields['rewards'])).flatMap(withParts)),
  announcements: table(rowsOf(objectOf(fields['announcements']))),
  shop: table(rowsOf(objectOf(fields['shop']))),
};

function rowsWhere(isIncluded: (name: string) => boolean): readonly Row[] {
  return rowsOf({ properties: fields }).filter(([name]) => isIncluded(name));
}

/** A setting, and below it its parts: `streak.every`, `milestones[].votes`. */
function withParts([setting, schema]: Row): readonly Row[] {
  return [[setting, schema], ...rowsOf(schema, `${setting}${schema['items'] === undefined ? '' : '[]'}.`)];
}

function rowsOf(schema: JsonObject, prefix = ''): readonly Row[] {
  return Object.entries(propertiesOf(schema)).map(([name, part]) => [`${prefix}${name}`, objectOf(part)]);
}

/** The properties of an object, or of the objects in a list. */
function propertiesOf(schema: JsonObject): JsonObject {
  return objectOf(schema['properties'] ?? objectOf(schema['items'])['properties']);
}

/** Without the column of defaults if there is none. */
function table(rows: readonly Row[]): string {
  const described = rows.map(([setting, schema]) => [`\`${setting}\``, ...describe(setting, schema)] as const);
  const isPlain = described.every(([, value]) => value === '–');
  const lines = [['setting', 'default', 'meaning'], ...described].map(([setting, value, meaning]) =>
    ['', setting, ...(isPlain ? [] : [value]), meaning, ''].join(' | ').trim(),
  );
  return lines.toSpliced(1, 0, isPlain ? '|---|---|' : '|---|---|---|').join('\n');
}

/** The default and the meaning. A description can end with a default in words: "…; our own otherwise." */
function describe(setting: string, schema: JsonObject): readonly [value: string, meaning: string] {
  const description = textOf(schema['description']);
  if (description === '') throw new Error(`${setting} has no description.`);
  const [, meaning, words] = /^(.+)[.;] ([^.;]+) otherwise\.$/.exec(description) ?? [];
  if (meaning !== undefined && words !== undefined) return [words, `${meaning}.`];
  const value = schema['default'];
  const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return [isShown ? `\`${value}\`` : '–', description];
}
