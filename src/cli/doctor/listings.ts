import { communityConfig } from '../../../config/community-config.ts';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { StoredCommunity } from '../../core/settings/stored-settings.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { groupByTarget } from '../../features/communities/listings.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { messageOf } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { type InstallationCheck, type KeyProfile, type TitleOf, titlesOf } from './installation.ts';

/** Whether each API key is valid, and belongs to the listing that it is configured for. */
export const keysCheck: InstallationCheck = {
  name: 'keys',
  async run({ profiles }) {
    const results = await profiles();
    if (results === null) {
      const message = 'The API keys were not checked, because the database cannot count the requests.';
      return [warn(message, 'Fix the database first.')];
    }
    return results.map((result) =>
      'profile' in result
        ? evaluateProfile(result.listing, result.profile)
        : evaluateLookupError(result.listing, result.error),
    );
  },
};

function evaluateProfile({ name, kind, id }: ListingConfig, profile: KeyProfile): Finding {
  if (id !== null && profile.id !== null && id !== profile.id) {
    const owner = `"${profile.name}" (${profile.id})`;
    const message = `The API key of ${name} belongs to ${owner}, but ${name} is configured with the id ${id}.`;
    return fail(message, 'Configure the key of this listing, or correct its id.');
  }
  return pass(`The API key of ${name} is valid, for the ${kind} "${profile.name}".`);
}

function evaluateLookupError({ name, kind }: ListingConfig, error: unknown): Finding {
  if (error instanceof LookupError && error.status === 403) {
    return fail(
      `The service rejects the request with the API key of ${name} (403).`,
      'The key may still be valid: a firewall of the service may block this machine. Contact the support of the service.',
    );
  }
  if (!(error instanceof LookupError)) {
    return fail(`The API key of ${name} could not be checked: ${messageOf(error)}`, 'Fix this and run doctor again.');
  }
  switch (error.code) {
    case 'lookup_key_refused':
      return fail(`The service rejects the API key of ${name} (401).`, error.hint);
    case 'lookup_wrong_key_type':
      return fail(`The API key of ${name} is valid, but does not belong to a ${kind} (400).`, error.hint);
    case 'lookup_over_budget':
      return warn(`The API key of ${name} was not checked: ${error.message}`, error.hint);
    default:
      return fail(`The API key of ${name} could not be checked: ${error.message}`, error.hint);
  }
}

const communitiesPerPage = 500;

export const repeatedListingsCheck: InstallationCheck = {
  name: 'listings',
  async run({ config, store, profiles }) {
    if (store === null) return [];
    const results = await profiles();
    const ids = (results ?? []).flatMap((result) =>
      'profile' in result && result.profile.id !== null ? [[result.listing.name, result.profile.id] as const] : [],
    );
    return checkRepeatedListings(config, store.settings, new Map(ids), titlesOf(results));
  },
};

/**
 * Finds servers and bots that are several listings of one guild: those of the operator with those that were linked in
 * Discord, of which only the ids are read, not the API keys.
 * @param ids Discord ids of the operator's listings by name, as the service says them
 */
async function checkRepeatedListings(
  { base }: Pick<Config, 'base'>,
  store: Pick<SettingsStore, 'communitiesAfter'>,
  ids: ReadonlyMap<string, string>,
  titleOf: TitleOf,
): Promise<Finding[]> {
  const stored = new Map((await readAll(store)).map((community) => [community.guildId, community]));
  const guildIds = new Set<string | null>([...base.sources.map(({ guildId }) => guildId), ...stored.keys()]);
  const repeated = [...guildIds].flatMap((guildId) => {
    const settings = (guildId === null ? undefined : stored.get(guildId)?.settings) ?? [];
    const opened = settings.flatMap(({ listing, path, value, sealed }) =>
      sealed === null ? [{ listing, path, value: parseJson(value) }] : [],
    );
    const { listings } = communityConfig(base, guildId, opened);
    const targetIdOf = ({ name, id }: Pick<ListingConfig, 'name' | 'id'>) => id ?? ids.get(name) ?? null;
    return groupByTarget(listings, targetIdOf)
      .filter(({ length }) => length > 1)
      .map((group) => findingOf(group, guildId, titleOf));
  });
  return repeated.length > 0 ? repeated : [pass('No server or bot is listed twice in a community.')];
}

function findingOf(group: readonly ListingConfig[], guildId: string | null, titleOf: TitleOf): Finding {
  const names = group.map(({ name }) => titleOf(name));
  const community = guildId === null ? '' : ` in the server ${guildId}`;
  const linked = group.filter((listing) => listing.linked).map(({ name }) => titleOf(name));
  const hint =
    linked.length === 0
      ? 'Keep one of them in the settings.'
      : `Unlink ${linked.slice(linked.length === group.length ? 1 : 0).join(', ')} with /setup in that server.`;
  return warn(
    `The listings ${names.join(' and ')}${community} are the same ${group[0]?.kind}. A vote for it counts once.`,
    `${hint} At the service, enter the webhook addresses of the one that stays.`,
  );
}

async function readAll(store: Pick<SettingsStore, 'communitiesAfter'>): Promise<readonly StoredCommunity[]> {
  const all: StoredCommunity[] = [];
  for (;;) {
    const page = await store.communitiesAfter(all.at(-1)?.guildId ?? '', communitiesPerPage);
    all.push(...page);
    if (page.length < communitiesPerPage) return all;
  }
}
