import { systemClock } from '@tallyhook/platform/clock';
import { durationPattern, parseDuration } from '@tallyhook/platform/duration-text';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { loadConfig } from '../../config/load.ts';
import type { Community } from '../features/communities/directory.ts';
import { endpointsOf } from '../features/events/sender.ts';
import { hostOf } from '../features/events/settings.ts';
import type { Store } from '../features/store.ts';
import { communitiesOf, withStore } from './open-database.ts';

interface Chosen {
  readonly guild?: string;
  readonly endpoint?: string;
}

/** An endpoint of a community, without its address, whose path may be secret. */
interface ListedEndpoint {
  readonly guildId: string | null;
  readonly communityId: Community['id'];
  readonly endpoint: string;
  readonly host: string;
  readonly events: readonly string[] | null;
}

/** Lists the endpoints of all communities, and which of them fail or are paused. */
export function listWebhooks(
  { json, ...chosen }: Chosen & { readonly json?: boolean },
  { print }: Terminal,
): Promise<number> {
  return withEndpoints(chosen, async (endpoints, { events }) => {
    const failing = await events.failingEndpoints(null);
    const listed = endpoints.map((each) => {
      const state = failing.find(
        ({ communityId, endpoint }) => communityId === each.communityId && endpoint === each.endpoint,
      );
      const { communityId: _communityId, ...shown } = each;
      return {
        ...shown,
        failingSince: isoTime(state?.failingSince ?? null),
        pausedAt: isoTime(state?.pausedAt ?? null),
        reason: state?.reason ?? null,
      };
    });
    if (json) print(JSON.stringify({ endpoints: listed }, null, 2));
    else if (listed.length === 0) print('No community has an address for events.');
    for (const { guildId, endpoint, host, events: types, failingSince, pausedAt, reason } of json ? [] : listed) {
      const state = pausedAt ? `paused: ${reason}` : failingSince ? `failing since ${failingSince}: ${reason}` : 'ok';
      print(`${endpoint}  ${host}  guild ${guildId ?? 'none'}  ${types?.join(', ') ?? 'all events'}  ${state}`);
    }
  });
}

/** Has what has failed for good sent again. */
export function resendWebhooks(
  { since = '7d', ...chosen }: Chosen & { readonly since?: string },
  { print }: Terminal,
): Promise<number> {
  if (!durationPattern.test(since)) throw new UsageError('--since must be a duration such as 12h or 7d.');
  const now = systemClock.now();
  return withEndpoints(chosen, async (endpoints, { events }) => {
    let sent = 0;
    for (const { communityId, endpoint } of endpoints) {
      const key = { communityId, endpoint };
      for (let more = 1; more > 0; sent += more) more = await events.resend(key, now - parseDuration(since), now);
    }
    print(
      sent === 0 ? 'Nothing has failed for good in this time.' : `The bot sends ${formatCount(sent, 'event')} again.`,
    );
  });
}

/** Has paused endpoints tried again. */
export function resumeWebhooks(chosen: Chosen, { print }: Terminal): Promise<number> {
  return withEndpoints(chosen, async (endpoints, { events }) => {
    for (const { communityId, endpoint } of endpoints) await events.forgetFailures({ communityId, endpoint });
    print(
      `The bot tries ${formatCount(endpoints.length, 'endpoint')} again. Send what was missed with "webhooks resend".`,
    );
  });
}

async function withEndpoints(
  { guild, endpoint }: Chosen,
  use: (endpoints: readonly ListedEndpoint[], store: Store) => Promise<void>,
): Promise<number> {
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const communities = await communitiesOf(config, store);
    const all = communities
      .filter(({ guildId }) => guild === undefined || guildId === guild)
      .flatMap((community) => endpointsIn(community));
    const found = all.filter((each) => endpoint === undefined || each.endpoint === endpoint);
    if (endpoint !== undefined && found.length === 0) {
      const known = all.map((each) => each.endpoint);
      throw new UsageError(withSuggestion(`There is no endpoint "${endpoint}".`, endpoint, known));
    }
    await use(found, store);
    return exitCode.ok;
  });
}

function endpointsIn(community: Community): readonly ListedEndpoint[] {
  const { id: communityId, guildId } = community;
  return endpointsOf(community).map(({ id, url, events }) => ({
    guildId,
    communityId,
    endpoint: id,
    host: hostOf(url),
    events,
  }));
}
