import { day } from '@tallyhook/platform/durations';
import type { SandboxFullState, SandboxPageEvent } from '../../src/sandbox/page/sandbox-page.ts';
import { type Stage, startStage } from '../answers/stage.ts';
import { openPage, type SandboxPage } from './page-client.ts';
import {
  type Answer,
  actionKey,
  everywhere,
  type Move,
  placeholder,
  type Recording,
  stateName,
  type TimedEvent,
} from './recording.ts';

/** Number of sandboxes at a time. They mostly wait. */
const concurrency = 3;

/** Records a sandbox for each order of the votes: after each move what the commands of a member show then. */
export async function record(votes: readonly Move[], report: (line: string) => void = () => {}): Promise<Recording> {
  const states: States = {};
  const [firstMoves = [], ...others] = planWalks(votes);
  const first = await inSandbox(async (stage) => {
    const walk = await startWalk(stage, null, states);
    await walk.take(firstMoves);
    return walk;
  });
  report(firstMoves.join(', '));
  async function takeNext(): Promise<void> {
    for (let moves = others.shift(); moves !== undefined; moves = others.shift()) {
      const next = moves;
      await inSandbox(async (stage) => (await startWalk(stage, first, states)).take(next));
      report(next.join(', '));
    }
  }
  await Promise.all(Array.from({ length: concurrency }, takeNext));
  const { at, start, userId } = first;
  return { at, start, userId, states };
}

async function inSandbox<Result>(use: (stage: Stage) => Promise<Result>): Promise<Result> {
  const stage = await startStage('en-US', { sites: true });
  try {
    // Everybody may vote; the channel has some life, and the leaderboard more than one row.
    stage.pass(day);
    for (const [name, kind] of earlierVotes) await stage.announcedVote(name, kind);
    return await use(stage);
  } finally {
    await stage.sandbox.stop();
  }
}

const earlierVotes = [
  ['juniper', 'server'],
  ['Ayşe', 'server'],
  ['Ayşe', 'bot'],
] as const;

const commands = ['canvote', 'credits', 'leaderboard', 'shop'];
/** Without an event for so long, an action is over (ms). Reminders need the most. */
const quietMs: Readonly<Partial<Record<Move | 'look', number>>> & { readonly move: number; readonly party: number } = {
  look: 60,
  move: 1200,
  later: 10_000,
  party: 6000,
};

/** What the page does not read, or only in another language. */
const unread = new Set([
  ...['interaction_metadata', 'application_id', 'webhook_id', 'primary_guild', 'discriminator', 'public_flags'],
  ...['avatar', 'tts', 'pinned', 'mentions', 'mention_roles', 'mention_everyone', 'nonce'],
  ...['name_localizations', 'description_localizations'],
]);

/** For `JSON.stringify`: drops {@link unread} fields, and digits of times that nobody sees. */
function shorten(key: string, value: unknown): unknown {
  if (unread.has(key)) return undefined;
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}

const faults = ['break_signature', 'unknown_event'];

type States = Record<string, Record<string, Answer>>;

/** One sandbox, in which the moves are taken one after the other. @param first gives the ids that differ in each sandbox */
async function startWalk(stage: Stage, first: { readonly start: SandboxFullState } | null, states: States) {
  const page = await openPage(stage.sandbox.urls.page);
  const userId = stage.id('mira');
  const { general } = stage.channels;
  const { now: at, ...event } = page.events[0] as TimedEvent & SandboxFullState;
  const withoutPast = { ...event, activity: [], extension: { ...event.extension, timeline: [] } };
  const start = JSON.parse(JSON.stringify(withoutPast, shorten)) as SandboxFullState;
  const ids = new Map(
    start.commands.map(({ id, name }) => [
      id,
      first?.start.commands.find((command) => command.name === name)?.id ?? id,
    ]),
  );
  const rename = (text: string) => text.replaceAll(/\d{17,20}/g, (id) => ids.get(id) ?? id);
  const known = new Set(idsIn(page.events));
  const shown: Record<string, unknown> = { ...(first?.start ?? start) };
  const done: Move[] = [];

  /** Performs an action, and stores its answer in a state, unless there is one. Returns the messages in it. */
  async function act(
    path: string,
    body: Readonly<Record<string, unknown>>,
    { messageId, move, state = stateName(done) }: { messageId?: string; move?: Move; state?: string } = {},
  ) {
    states[state] ??= {};
    const answers = states[state];
    const sent = await page.act(
      path,
      { userId, ...body, ...(messageId ? { messageId } : {}) },
      isPartyVote(path) ? quietMs.party : (quietMs[move ?? 'look'] ?? quietMs.move),
    );
    const channelId = messageId === undefined ? general : channelOf(page.events, messageId);
    const created = idsIn(sent.events, sent.response).filter((id) => !known.has(id));
    for (const id of created) known.add(id);
    const { at: sentAt, response } = sent;
    const renamed = JSON.parse(rename(JSON.stringify(sent.events))) as typeof sent.events;
    const events = renamed.map(([afterMs, each]) => [afterMs, trim(each, shown)] as const);
    const answer: Answer = { at: sentAt, response, events, ...(move ? { move } : {}) };
    let text = JSON.stringify(answer, shorten);
    for (const [index, id] of created.entries()) text = text.replaceAll(`"${id}"`, JSON.stringify(placeholder(index)));
    if (messageId !== undefined) text = text.replaceAll(messageId, placeholder('message'));
    text = text.replaceAll(`"channel_id":"${channelId}"`, `"channel_id":"${placeholder('channel')}"`);
    const key = actionKey(path, body);
    answers[key] ??= JSON.parse(text) as Answer;
    return sent.events.flatMap(([, each]) => (each.kind === 'message' ? [each.message] : []));
  }

  /** The week's party follows the fifth vote of all members by seconds. */
  const isPartyVote = (path: string) => path === '/page/votes' && done.length + earlierVotes.length === 4;
  const run = async (name: string, state = stateName(done)) => {
    const messages = await act('/page/commands', { name, channelId: general, options: {} }, { state });
    return messages.findLast(({ interaction }) => interaction?.name === name);
  };
  const press = (message: { id: string } | undefined, customId: string, move?: Move) => {
    if (message === undefined) throw new Error(`There is no message with ${customId}.`);
    return act('/page/components', { customId }, { messageId: message.id, ...(move ? { move } : {}) });
  };

  /** What a member can look at: it changes nothing. */
  async function look(): Promise<void> {
    const state = stateName(done);
    const isSeen = Object.hasOwn(states, state);
    states[state] ??= {};
    if (isSeen) return;
    for (const name of commands) await run(name);
    // The question takes the place of the shop.
    for (const customId of customIds(await run('shop'), /^tallyhook:shop\/buy:/))
      await press(await run('shop'), customId);
    // 12 hours later, a repeated delivery without an id is a vote of its own.
    if (done.length > 0 && !done.includes('later')) await act('/page/trouble', { fault: 'repeat' });
    if (done.includes('reminders')) return;
    await moves.reminders();
    await page.act(
      '/page/commands',
      { name: 'remind', userId, channelId: general, options: { state: 'off' } },
      quietMs.move,
    );
  }

  const moves: Readonly<Record<Move, () => Promise<unknown>>> = {
    server: () => act('/page/votes', { kind: 'server' }, { move: 'server' }),
    bot: () => act('/page/votes', { kind: 'bot' }, { move: 'bot' }),
    topgg: () => act('/page/votes', { kind: 'bot', site: 'topgg' }, { move: 'topgg' }),
    disurl: () => act('/page/votes', { kind: 'server', site: 'disurl' }, { move: 'disurl' }),
    reminders() {
      const message = page.messages().findLast((each) => customIds(each, /^tallyhook:remind\/on:/).length > 0);
      return press(message, customIds(message, /^tallyhook:remind\/on:/)[0] ?? '', 'reminders');
    },
    later: () => act('/page/trouble', { fault: 'move_clock' }, { move: 'later' }),
    async purchase() {
      const shop = await run('shop');
      const [buy = ''] = customIds(shop, /^tallyhook:shop\/buy:.*vip/);
      const question = (await press(shop, buy)).at(-1);
      return press(question, customIds(question, /^tallyhook:shop\/confirm:/)[0] ?? '', 'purchase');
    },
  };

  return {
    at,
    start,
    userId,
    async take(all: readonly Move[]): Promise<void> {
      if (first === null) {
        await run('help', everywhere);
        await run('stats', everywhere);
        await run('reviews', everywhere);
        for (const fault of faults) await act('/page/trouble', { fault }, { state: everywhere });
        await act('/page/doctor', {}, { state: everywhere });
      }
      await look();
      for (const move of all) {
        await moves[move]();
        done.push(move);
        await look();
      }
      page.close();
    },
  };
}

type Message = Extract<SandboxPageEvent, { kind: 'message' }>['message'];

function customIds(message: Message | undefined, pattern: RegExp): string[] {
  const text = JSON.stringify(message?.components ?? []);
  return [...text.matchAll(/"custom_id":("(?:[^"\\]|\\.)*")/g)]
    .map(([, id = '""']) => String(JSON.parse(id)))
    .filter((id) => pattern.test(id));
}

function channelOf(events: SandboxPage['events'], messageId: string): string {
  const found = events.flatMap((event) =>
    event.kind === 'full_state' ? event.messages : event.kind === 'message' ? [event] : [],
  );
  return found.findLast(({ message }) => message.id === messageId)?.message.channel_id ?? '';
}

/** The ids of messages, interactions and entries of the timeline. */
function idsIn(events: readonly unknown[], response: unknown = null): string[] {
  const text = JSON.stringify([events, response]);
  const found = text.matchAll(/"(?:message":\{"id|interactionId|key)":"([^"]+)"/g);
  return [...new Set([...found].map(([, id = '']) => id))];
}

/** Without what the page does not need, or shows already. @param shown what it shows, which is updated */
function trim(event: SandboxPageEvent, shown: Record<string, unknown>): Partial<SandboxPageEvent> {
  if (event.kind === 'interaction') {
    const { kind, interactionId, state } = event;
    return { kind, interactionId, state };
  }
  if (event.kind !== 'sidebar') return event;
  const isNew = ([key, value]: [string, unknown]) =>
    key === 'kind' || (key !== 'commands' && JSON.stringify(value) !== JSON.stringify(shown[key]));
  const news = Object.fromEntries(Object.entries(event).filter(isNew));
  Object.assign(shown, news);
  return news;
}

export const votes = ['server', 'bot', 'topgg', 'disurl'] as const satisfies readonly Move[];

/** What can follow when a member has voted everywhere. */
const endings: readonly (readonly Move[])[] = [
  ['reminders', 'later', 'purchase'],
  ['later', 'purchase'],
  ['purchase', 'reminders', 'later'],
  ['reminders', 'purchase', 'later'],
];

/** Orders of these votes in which every vote is given once in every state, each in a sandbox of its own. */
function planWalks(all: readonly Move[]): Move[][] {
  const walked = new Set<string>();
  const walks: Move[][] = [];
  for (;;) {
    const walk: Move[] = [];
    let isNew = false;
    while (walk.length < all.length) {
      const rest = all.filter((vote) => !walk.includes(vote));
      const edge = (vote: Move) => `${stateName(walk)} ${vote}`;
      const next = rest.find((vote) => !walked.has(edge(vote))) ?? rest[walks.length % rest.length] ?? rest[0];
      if (next === undefined) break;
      isNew ||= !walked.has(edge(next));
      walked.add(edge(next));
      walk.push(next);
    }
    if (!isNew && walks.length > 0) return walks;
    walks.push([...walk, ...(all.length === votes.length ? (endings[walks.length] ?? []) : [])]);
  }
}
