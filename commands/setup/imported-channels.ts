import type { SettingIssue } from '../../src/features/setup/community.ts';
import { listOf, objectOf, parseJson } from '../../src/platform/json.ts';
import type { SetupChecks } from '../setup-services.ts';

const channelPaths = ['announceChannelId', 'premiumChannelId', 'ownerChannelId'] as const;

/**
 * Why the channels in an imported text cannot be used: the bot may be in guilds of other owners, and would post in their
 * channels too. Unlike the selects of the forms, a text can contain any id.
 */
export async function issuesOfChannels(
  {
    services,
    guildId,
  }: { readonly services: { readonly checks: Pick<SetupChecks, 'channelsOf'> }; readonly guildId: string },
  text: string,
): Promise<readonly SettingIssue[]> {
  const named = listOf(objectOf(parseJson(text))['listings']).flatMap((listing) =>
    channelPaths.flatMap((path) => {
      const id = listing[path];
      return id === undefined || id === null ? [] : [{ path, id }];
    }),
  );
  if (named.length === 0) return [];
  const own = await services.checks.channelsOf(guildId);
  const common = { listing: null, code: 'invalid' } as const;
  if (own === null) {
    const [{ path } = { path: 'announceChannelId' }] = named;
    return [{ ...common, path, problem: 'could not be checked with Discord.', hint: 'Try again later.' }];
  }
  return named
    .filter(({ id }) => typeof id !== 'string' || !own.has(id))
    .map(({ path }) => {
      return { ...common, path, problem: 'is not a channel of this server.', hint: 'Choose a channel of this server.' };
    });
}
