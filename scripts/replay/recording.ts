import type { EventTime } from '../../packages/local-discord/src/page/snapshot.ts';
import type { SandboxFullState, SandboxPageEvent } from '../../src/sandbox/page/sandbox-page.ts';

/** What a member can do that changes later answers: a vote, reminders, 12 hours that pass, a purchase. */
export type Move = 'server' | 'bot' | 'topgg' | 'disurl' | 'reminders' | 'later' | 'purchase';

/** An event as the page receives it. */
export type TimedEvent = SandboxPageEvent & EventTime;

/** The answer of a sandbox to one action. Ids that it created, and the channel, are placeholders: see {@link fillIn}. */
export interface Answer {
  /** When the action was sent (ms since the epoch, sandbox clock). */
  readonly at: number;
  readonly response: object;
  /** The time of each event after the action (ms of real time), and the event. */
  readonly events: readonly (readonly [afterMs: number, event: Partial<TimedEvent>])[];
  readonly move?: Move;
}

/** By {@link actionKey}. */
export type Answers = Readonly<Record<string, Answer>>;

/** A sandbox as its page sees it. */
export interface Recording {
  /** When `start` was taken (ms since the epoch). */
  readonly at: number;
  readonly start: SandboxFullState;
  /** The member whose actions were recorded. */
  readonly userId: string;
  /** By {@link stateName}. */
  readonly states: Readonly<Record<string, Answers>>;
}

/** What was recorded once, and answers in every state. */
export const everywhere = '*';

/** The name of the state after these moves, in any order: `bot+server`. */
export function stateName(moves: Iterable<Move>): string {
  return [...moves].toSorted().join('+');
}

/** An action without what differs in each run: message, channel, ids in the custom id of a button, and the order of fields. */
export function actionKey(path: string, body: Readonly<Record<string, unknown>>): string {
  const { userId: _user, channelId: _channel, messageId: _message, ...rest } = body;
  const fields = Object.entries(rest).filter(([, value]) => JSON.stringify(value) !== undefined);
  const sorted = Object.fromEntries(fields.toSorted(([one], [other]) => one.localeCompare(other)));
  return `${path} ${JSON.stringify(sorted).replaceAll(/\d{17,20}/g, '#')}`;
}

/** Stands for an id in the text of an answer. */
export const placeholder = (name: string | number) => `@{${name}}`;

/** Replaces the placeholders of a text, and moves every time in it. @param shiftMs is added to each time */
export function fillIn(text: string, idOf: (name: string) => string, shiftMs: number): string {
  const seconds = Math.round(shiftMs / 1000);
  return text
    .replaceAll(/@\{(\w+)\}/g, (_, name: string) => idOf(name))
    .replaceAll(/(?<=<t:)\d{10}(?=[:>])/g, (at) => String(Number(at) + seconds))
    .replaceAll(/(?<=:)1\d{12}(?=[,}\]])/g, (at) => String(Number(at) + shiftMs))
    .replaceAll(/(?<=")\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)(?=")/g, (at) =>
      new Date(Date.parse(at) + shiftMs).toISOString(),
    );
}
