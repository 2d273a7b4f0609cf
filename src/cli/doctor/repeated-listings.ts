import { communityConfig } from '../../../config/community-config.ts';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { StoredCommunity } from '../../core/settings/stored-settings.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { groupByTarget } from '../../features/communities/same-target.ts';
import { type Finding, pass, warn } from '../../platform/doctor/check.ts';
import { parseJson } from '../../platform/json.ts';
import type { InstallationCheck } from './installation.ts';
import { type TitleOf, titlesOf } from './profiles.ts';

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
