import {
  type Answer,
  actionKey,
  everywhere,
  fillIn,
  type Move,
  type Recording,
  stateName,
  type TimedEvent,
} from '../recording.ts';

/** Longer pauses of a recording are shortened (ms). */
const longestPauseMs = 1000;
/** Before a request is answered (ms). */
const responseMs = 40;

const noAnswer = 'This recording has no answer for that. Run it on your machine: npm ci && npm start';

type Body = Readonly<Record<string, unknown>>;

/** Answers the requests of the page as the recorded sandbox did, with the times of now. */
export class Player {
  readonly #recording: Recording;
  readonly #send: (event: TimedEvent) => void;
  readonly #onUnanswered: (text: string) => void;
  readonly #done = new Set<Move>();
  /** By message, the channel it is in. */
  readonly #channels = new Map<string, string>();
  /** How far the clock of the sandbox is ahead (ms). */
  #leadMs = 0;
  #lastId = 10n ** 18n;

  /** @param onUnanswered called with a sentence for the visitor when something was not recorded */
  constructor(recording: Recording, send: (event: TimedEvent) => void, onUnanswered: (text: string) => void) {
    this.#recording = recording;
    this.#send = send;
    this.#onUnanswered = onUnanswered;
  }

  start(): void {
    const { start, at } = this.#recording;
    this.#show(JSON.parse(fillIn(JSON.stringify(start), String, Date.now() - at)) as Partial<TimedEvent>);
  }

  /** Performs an action of the page. Resolves with the body of the response. */
  async perform(path: string, body: Body): Promise<object> {
    if (path === '/page/time') return { now: this.#now() };
    if (path === '/page/tour' || path === '/page/chosen-tour') return {};
    const answer = this.#find(path, body);
    if (answer === undefined) return { error: this.refuse() };
    if (answer.move !== undefined) this.#done.add(answer.move);
    const { response, events } = this.#renew(answer, body);
    for (const [afterMs, event] of events) setTimeout(() => this.#show(event), Math.min(afterMs, longestPauseMs));
    await new Promise((resolve) => setTimeout(resolve, responseMs));
    return response;
  }

  /** Says that something was not recorded. */
  refuse(): string {
    this.#onUnanswered(noAnswer);
    return noAnswer;
  }

  #now(): number {
    return Date.now() + this.#leadMs;
  }

  #find(path: string, body: Body): Answer | undefined {
    const { userId, start, states } = this.#recording;
    const isInGuild = start.channels.some(({ id, kind }) => id === body['channelId'] && kind === 'guild');
    if (body['userId'] !== undefined && body['userId'] !== userId) return undefined;
    if (body['channelId'] !== undefined && !isInGuild) return undefined;
    const key = actionKey(path, body);
    const withoutReminders = [...this.#done].filter((move) => move !== 'reminders');
    return [stateName(this.#done), stateName(withoutReminders), everywhere]
      .map((state) => states[state]?.[key])
      .find((answer) => answer !== undefined);
  }

  /** The answer with new ids, in the place of the action, now. */
  #renew(answer: Answer, { messageId, channelId }: Body): Answer {
    const message = typeof messageId === 'string' ? messageId : '';
    const ids = new Map([
      ['message', message],
      ['channel', typeof channelId === 'string' ? channelId : (this.#channels.get(message) ?? '')],
    ]);
    const idOf = (name: string) => {
      const id = ids.get(name) ?? String(++this.#lastId);
      ids.set(name, id);
      return id;
    };
    return JSON.parse(fillIn(JSON.stringify(answer), idOf, this.#now() - answer.at)) as Answer;
  }

  #show(recorded: Partial<TimedEvent>): void {
    if (recorded.kind === 'simulation' && recorded.now) this.#leadMs = recorded.now - Date.now();
    const event = { ...recorded, now: this.#now() } as TimedEvent;
    const shown = event.kind === 'full_state' ? event.messages : event.kind === 'message' ? [event] : [];
    for (const { message } of shown) this.#channels.set(message.id, message.channel_id);
    this.#send(event);
  }
}
