import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import type { Message } from 'local-discord';
import { commandsFor } from '../../commands/index.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The time at which every scene starts: a Wednesday, since multipliers and parties depend on the day. */
const startsAt = Date.parse('2026-11-18T14:00:00Z');

/** Time between two states, more than a state takes, so that the times in the images are the same in every run (ms). */
const stateIntervalMs = 15 * minute;

const timeoutMs = 45 * second;

/** The members of the sandbox by their part; the owner of the guild has never voted. */
const memberNames = ['mira', 'tobias_k', 'Ayşe', 'old_salt', 'juniper', 'Noor ✦'] as const;
export type MemberName = (typeof memberNames)[number];

/** A message, and the member who looks at it. */
export interface Shown {
  readonly message: Message;
  readonly viewer: MemberName;
}

type Kind = 'server' | 'bot';

/** A running sandbox, with the actions of its members. Methods throw if the expected message does not arrive in time. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly channels: Sandbox['discord']['channels'];
  id(member: MemberName): string;
  /** Runs a command in #general. */
  run(name: string, options?: Readonly<Record<string, string | number>>, as?: MemberName): Promise<Shown>;
  /**
   * Presses the button of an action, such as `shop/buy`, or a button that opens another page: `page`.
   *
   * @param content a part of the custom id, if there are several such buttons: `item=vip`
   */
  press(shown: Shown, action: string, content?: string): Promise<Shown>;
  vote(as: MemberName, kind?: Kind, options?: { readonly adBlocker?: boolean }): Promise<void>;
  /** Votes, and waits until the bot has recorded it. */
  recordedVote(as: MemberName): Promise<void>;
  /** The first new message of a channel after `act` that matches. */
  newMessage(channelId: string, act: () => Promise<unknown>, matches?: (message: Message) => boolean): Promise<Message>;
  /** Votes, and returns the announcement. */
  announcedVote(as: MemberName, kind?: Kind, options?: { readonly adBlocker?: boolean }): Promise<Message>;
  /** Waits until there is a value. */
  waitFor<Value>(what: string, find: () => Value | undefined): Promise<Value>;
  /** Makes time pass. Work that waits for a time is done with the next poll. */
  pass(ms: number): void;
  /** Continues at the next multiple of the interval between two states. */
  nextState(): void;
}

/** Starts a sandbox at the fixed time, in a language of Discord for all members and the guild. */
export async function startStage(language: string, options: SandboxOptions = {}): Promise<Stage> {
  const offsetMs = startsAt - systemClock.now();
  const realClock: Clock = { ...systemClock, now: () => systemClock.now() + offsetMs };
  const sandbox = await startSandbox({ seed: 1, realClock, sites: false, ...options });
  const { discord, service, clock } = sandbox;
  while (!discord.connected) await once(discord.events, 'change');
  const ids = new Map(discord.members.map(({ username, id }) => [username, id]));
  const id = (member: MemberName) => ids.get(member) ?? fail(`There is no member ${member}.`);
  discord.guild.setGuildLocale(language);
  for (const member of memberNames) discord.guild.setLocale(id(member), language);
  // Without listings, only /privacy, /help and /setup have something to show.
  const expected = options.linked === false ? 3 : commandsFor({ reminders: true }).length;
  await until('the commands', () => discord.commands().length >= expected || undefined);

  const customIdOf = ({ message }: Shown, action: string, content: string): string => {
    const prefix = action === 'page' ? /^tallyhook:[^/]+:/ : new RegExp(`^tallyhook:${action}:`);
    const all = controlsOf(message.components).flatMap(({ custom_id }) => custom_id ?? []);
    const found = all.find((each) => prefix.test(each) && each.includes(content));
    return found ?? fail(`There is no button ${action} ${content} in: ${all.join(', ')}`);
  };

  const vote: Stage['vote'] = async (as, kind = 'server', voteOptions = {}) => {
    const { recorded } = await service.castVote({ kind, userId: id(as), username: as, ...voteOptions });
    if (!recorded) fail(`${as} cannot vote yet.`);
  };
  const newMessage: Stage['newMessage'] = async (channelId, act, matches = () => true) => {
    const before = new Set(discord.messages(channelId).map((message) => message.id));
    await act();
    const find = () => discord.messages(channelId).find((message) => !before.has(message.id) && matches(message));
    return until('a new message', find);
  };

  return {
    sandbox,
    channels: discord.channels,
    id,
    async run(name, commandOptions = {}, as = 'mira') {
      const action = { name, options: commandOptions, userId: id(as), channelId: discord.channels.general };
      return { message: await discord.runCommand(action).settled, viewer: as };
    },
    async press(shown, action, content = '') {
      const used = discord.clickButton(shown.message.id, customIdOf(shown, action, content), id(shown.viewer));
      return { ...shown, message: await used.settled };
    },
    vote,
    newMessage,
    async recordedVote(as) {
      const votesOf = async () => (await sandbox.app.ledger.account(id(as)))?.votes ?? 0;
      const before = await votesOf();
      await vote(as);
      let votes = before;
      const poll = async () => {
        while (votes === before) {
          votes = await votesOf();
          await wait(20);
        }
      };
      await Promise.race([poll(), until('the vote to be recorded', () => votes > before || undefined)]);
    },
    announcedVote: (as, ...voteOptions) =>
      newMessage(
        discord.channels.announcements,
        () => vote(as, ...voteOptions),
        (message) => mentions(message, id(as)),
      ),
    waitFor: until,
    pass: (ms) => clock.advance(ms),
    nextState() {
      const elapsed = clock.now() - startsAt;
      clock.advance(stateIntervalMs - (elapsed % stateIntervalMs));
    },
  };
}

/** Whether the text of a message mentions a user, or, without an id, anybody. */
export function mentions(message: Message, userId = ''): boolean {
  return JSON.stringify([message.content, message.embeds, message.components]).includes(`<@${userId}`);
}

/** The end of the cooldown of a vote, and a little more. */
export const cooldownMs = 12 * hour + minute;

/** Waits for a value. @throws Error after the timeout */
async function until<Value>(what: string, find: () => Value | undefined): Promise<Value> {
  const deadline = systemClock.monotonic() + timeoutMs;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (systemClock.monotonic() > deadline) fail(`Waited in vain for ${what}.`);
    await wait(20);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
