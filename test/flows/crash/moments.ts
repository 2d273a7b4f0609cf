import { setTimeout as wait } from 'node:timers/promises';
import type { LocalDiscord, RecordedRequest, StateChange } from 'local-discord';
import type { Program } from '../../support/start-program.ts';

/** What the programs are doing when they are killed. */
export const momentNames = [
  'commit',
  'announcement',
  'handler',
  'reminder',
  'role',
  'purchase',
  'digest',
  'report',
  'start',
] as const;
export type MomentName = (typeof momentNames)[number];

/** What is in progress at some of the moments, by the names in `interrupted.ts`. */
export const interruptedAt: Partial<Record<MomentName, string>> = {
  announcement: 'announcement',
  handler: 'handler',
  reminder: 'directMessage',
  role: 'role',
  purchase: 'purchase',
  digest: 'digest',
  report: 'ownerReport',
};

/** What a digest contains: the number of its votes. */
export const digestedVotes = /\*\*(\d+)\*\* votes? from/g;
/** What an announcement of a vote says. */
const announcedVote = /<@\d+> voted for/;

/** The requests to Discord with which the effects of a moment are done. */
function requestsOf({ channels }: LocalDiscord): Partial<Record<MomentName, (request: RecordedRequest) => boolean>> {
  const isPost = (channelId: string, content?: RegExp) => (request: RecordedRequest) =>
    request.method === 'POST' &&
    request.path === `/channels/${channelId}/messages` &&
    (content === undefined || JSON.stringify(request.body).search(content) >= 0);
  const ofGuild = Object.values(channels).map((id) => `/channels/${id}/messages`);
  return {
    announcement: isPost(channels.announcements, announcedVote),
    digest: isPost(channels.general, digestedVotes),
    report: isPost(channels.premium),
    reminder: ({ method, path }) =>
      method === 'POST' && /^\/channels\/\d+\/messages$/.test(path) && !ofGuild.includes(path),
    role: ({ path }) => /\/members\/\d+\/roles\/\d+$/.test(path),
    purchase: ({ path, status }) => path.endsWith('/callback') && status === 500,
  };
}

/** The largest number of times that a moment is awaited in a round; once if it is not here. */
const maxTimes: Partial<Record<MomentName, number>> = { commit: 25, announcement: 2, handler: 8, reminder: 2, role: 3 };

/**
 * Waits for a moment of running programs: a random one of the requests, calls or acknowledgements of its kind. A request
 * has been carried out by Discord, which has not answered yet. Calls `onCome` once, unless it is stopped before.
 *
 * @param delayMs how much later the moment comes; with 0, the program cannot store what it has done
 * @param startMs how long the programs take to start
 */
export function watchForMoment(
  name: MomentName,
  context: {
    readonly discord: LocalDiscord;
    readonly programs: readonly Program[];
    readonly random: () => number;
    readonly delayMs: number;
    readonly startMs: number;
    readonly onCome: () => void;
  },
): { acknowledged(): void; stop(): void } {
  const { discord, programs, random, delayMs, startMs, onCome } = context;
  let left = Math.ceil(random() * (maxTimes[name] ?? 1));
  const count = () => {
    left -= 1;
    if (left !== 0) return;
    if (delayMs === 0) onCome();
    else void wait(delayMs).then(onCome);
  };
  const isAwaited = requestsOf(discord)[name];
  const onRequest = (request: RecordedRequest) => {
    if (isAwaited?.(request)) count();
  };
  /** The purchase is stored when it is answered. The answer fails, so that the shopper does not see it. */
  const onChange = (change: StateChange) => {
    if (name !== 'purchase' || change.kind !== 'interaction') return;
    const { label, state, interactionId } = change;
    if (label === 'Confirm' && state === 'sent') {
      discord.faults.respond500(1, new RegExp(`POST /interactions/${interactionId}/`));
    }
  };
  discord.events.on('request', onRequest);
  discord.events.on('change', onChange);
  if (name === 'start') void wait(startMs * random()).then(onCome);
  if (name === 'handler') {
    for (const { process } of programs) {
      process.stdout?.on('data', (data) => /^handled /m.test(String(data)) && count());
    }
  }
  return {
    acknowledged() {
      if (name === 'commit') count();
    },
    stop() {
      discord.events.off('request', onRequest);
      discord.events.off('change', onChange);
      discord.faults.clear();
    },
  };
}
