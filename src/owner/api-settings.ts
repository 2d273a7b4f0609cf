import { randomUUID } from 'node:crypto';
import { defaultLocale } from '@tallyhook/platform/texts/locale';
import { joined, withoutBold } from '@tallyhook/platform/texts/markup';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { z } from 'zod';
import { type ChangeSource, findObjectProblems, type Problem } from '../../commands/setup/view.ts';
import type { EffectiveValue } from '../../config/describe.ts';
import { operator } from '../core/ledger/correction.ts';
import type { CommunitySettings } from '../features/settings/community.ts';
import { communityPaths, findSetting, listingPaths, type SettingPath } from '../features/settings.ts';
import type { Caller, OwnerContext } from './context.ts';
import type { settingsRequest } from './request-schemas.ts';

/** The settings in effect of a community. @throws HttpError 404 if it has none that can be stored */
export async function readSettings(context: OwnerContext, guildId: string | null) {
  const { setup, guild } = settingsOf(context, guildId);
  return settingsJson(await setup.settings.read(guild));
}

/**
 * Saves changes as `/setup` does, with the same checks and history.
 * @throws HttpError 400 for an invalid value, 404 without settings or for a listing of others, 409 if `version` is not the newest one
 */
export async function changeSettings(
  { context, author, token }: Caller,
  guildId: string | null,
  { version, changes: requested }: z.output<typeof settingsRequest>,
) {
  const { setup, guild } = settingsOf(context, guildId);
  const changes = requested.map(({ listing, path, value }) => ({ listing, path: settingPath(listing, path), value }));
  const community = await setup.settings.read(guild);
  const foreign = changes.find(
    ({ listing }) => listing !== null && community.listings.every(({ name }) => name !== listing),
  );
  if (foreign !== undefined) throw new HttpError(404, 'This server has no such listing.');
  if (community.version !== version) throw outdated(community.version);
  const valuesOf = (listing: string | null): Readonly<Partial<Record<string, EffectiveValue>>> =>
    (listing === null ? community : community.listings.find(({ name }) => name === listing))?.values ?? {};
  const problems = await findObjectProblems(
    await changeSource(context, { setup, guild, creator: token?.createdBy ?? operator, changes }),
    changes.map(({ listing, path, value }) => ({ path, before: valuesOf(listing)[path]?.value, after: value })),
  );
  if (problems.length > 0) throw invalid(problems.map(sentenceOf));
  const edit = { guildId: guild, authorId: author, interactionId: `api ${randomUUID()}`, basis: version, changes };
  const result = await setup.settings.save(edit);
  if (result.status === 'invalid') {
    throw invalid(result.issues.map(({ path, problem, hint }) => [`"${path}" ${problem}`, hint].join(' ').trim()));
  }
  const current = await setup.settings.read(guild);
  if (result.status === 'conflict') throw outdated(current.version);
  return settingsJson(current);
}

type SettingsOf = ReturnType<typeof settingsOf>;

function settingsOf({ communities, setup }: OwnerContext, guildId: string | null) {
  const { guildId: guild } = communities.at(guildId);
  if (guild === null || setup === null) {
    throw new HttpError(404, 'Settings are stored for listings with a server; those of others are in the file.');
  }
  return { guild, setup };
}

function settingsJson({ guildId, version, values, listings }: CommunitySettings) {
  return {
    guildId,
    version,
    values: pick(values, communityPaths),
    listings: listings.map(({ name, kind, site, values: own }) => {
      return { name, kind, site: site?.name ?? null, values: pick(own, listingPaths) };
    }),
  };
}

function pick(values: Readonly<Partial<Record<string, EffectiveValue>>>, paths: readonly string[]) {
  return Object.fromEntries(paths.flatMap((path) => (values[path] === undefined ? [] : [[path, values[path]]])));
}

/** Links and secrets are no settings here. @throws HttpError 400 */
function settingPath(listing: string | null, path: string): SettingPath {
  const isShared = findSetting(path)?.isShared;
  const known = listing === null ? communityPaths : listingPaths;
  const found = known.find((each) => each === path);
  if (found !== undefined) return found;
  const hint =
    isShared === undefined && findSetting(path) === undefined
      ? ''
      : listing === null
        ? ' Name the listing that it belongs to.'
        : ' All listings share it: leave "listing" out.';
  throw invalid([`"${path.slice(0, 100)}" is not a setting here.${hint}`]);
}

/** Who is asked for what a change may choose: a role that the creator of a token may not give, the token may not either. */
async function changeSource(
  { guilds: { reader }, languages }: OwnerContext,
  { setup, guild, creator, changes }: SettingsOf & { creator: string; changes: readonly { readonly value: unknown }[] },
): Promise<ChangeSource> {
  const own = (await setup.checks.channelsOf(guild)) ?? new Set();
  const named = changes.map(({ value }) => value).filter((value) => typeof value === 'string');
  const missing = named
    .filter((id) => own.has(id))
    .map(async (id) => [id, { name: '', missing: (await reader?.missingIn(id).catch(() => null)) ?? null }] as const);
  const member = creator === operator ? null : await reader?.member(guild, creator).catch(() => null);
  const channels = Object.fromEntries(await Promise.all(missing));
  const input = { userId: creator, roles: member?.roles ?? [], resolved: { channels, users: {}, roles: {} } };
  return { input, texts: languages.for(defaultLocale), services: setup, guildId: guild };
}

/** The problem and its hint without the markup of Discord. */
function sentenceOf({ text, hint }: Problem): string {
  return withoutBold(joined([text, hint], ' '));
}

function invalid(sentences: readonly string[]): HttpError {
  return new HttpError(400, `Invalid settings: ${sentences.slice(0, 20).join(' ')}`, null, 'invalid_settings');
}

function outdated(version: number): HttpError {
  const message = `The settings have changed: their version is ${version}. Read them again.`;
  return new HttpError(409, message, null, 'version_outdated');
}
