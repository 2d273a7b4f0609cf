import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { SandboxPageEvent } from '../../src/sandbox/page/sandbox-page.ts';
import type { Answer, TimedEvent } from './recording.ts';

const timeoutMs = 30 * second;

type Message = Extract<SandboxPageEvent, { kind: 'message' }>['message'];

export type SandboxPage = Awaited<ReturnType<typeof openPage>>;

/** Does what the page of a sandbox does: follows its events, and sends actions. */
export async function openPage(origin: string) {
  const closing = new AbortController();
  const events: TimedEvent[] = [];
  const times: number[] = [];
  const { body } = await fetch(`${origin}/page/events`, { signal: closing.signal });
  if (body === null) throw new Error('The sandbox has no events.');
  void follow(body, (event) => {
    if (event.kind === 'time' || event.kind === 'tour' || (event.kind === 'interaction' && event.state === 'sent'))
      return;
    events.push(event);
    times.push(systemClock.monotonic());
  }).catch(() => {});
  await until(() => events.length > 0);

  return {
    /** All events so far, the full state first. */
    events: events as readonly TimedEvent[],
    messages: () => [...new Map(events.flatMap(messagesIn).map((message) => [message.id, message])).values()],
    close: () => closing.abort(),
    /** Sends an action, and waits for what it causes. @param quietMs it is over after so long without an event */
    async act(path: string, input: object, quietMs: number) {
      const before = events.length;
      const started = systemClock.monotonic();
      const response = await fetch(origin + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: origin },
        body: JSON.stringify(input),
      });
      const output = (await response.json()) as Answer['response'] & { readonly error?: string };
      if (output.error !== undefined) throw new Error(`${path}: ${output.error}`);
      const isOver = () => {
        const caused = events.slice(before);
        if (path === '/page/votes') return caused.some(isSettled) && caused.some(({ kind }) => kind === 'credits');
        if (!('interactionId' in output)) return true;
        return caused.some((event) => event.kind === 'interaction');
      };
      const isQuiet = () => systemClock.monotonic() - Math.max(times.at(-1) ?? 0, started) > quietMs;
      await until(() => isOver() && isQuiet());
      const caused = events.slice(before).map((event, index) => {
        const afterMs = Math.round((times[before + index] ?? started) - started);
        return [afterMs, event.kind === 'simulation' ? event : withoutTime(event)] as const;
      });
      const at = events[before]?.now ?? events.at(-1)?.now ?? 0;
      return { at, response: output, events: caused.filter((each, index) => !isReplaced(each, caused[index + 1])) };
    },
  };
}

/** The page gets the time of now instead, unless the clock was moved. */
function withoutTime(event: TimedEvent): SandboxPageEvent {
  const { now: _, ...rest } = event;
  return rest as SandboxPageEvent;
}

function messagesIn(event: SandboxPageEvent): Message[] {
  if (event.kind === 'full_state') return event.messages.map(({ message }) => message);
  return event.kind === 'message' ? [event.message] : [];
}

function isSettled(event: SandboxPageEvent): boolean {
  return event.kind === 'timeline' && event.item.kind === 'delivery' && event.item.isSettled;
}

/** Whether the next event, right after it, shows the same entry of the timeline. */
function isReplaced(
  [afterMs, event]: readonly [number, SandboxPageEvent],
  next: readonly [number, SandboxPageEvent] | undefined,
): boolean {
  if (event.kind !== 'timeline' || next?.[1].kind !== 'timeline') return false;
  return event.item.key === next[1].item.key && next[0] - afterMs < 40;
}

async function follow(body: ReadableStream<Uint8Array>, receive: (event: TimedEvent) => void): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const line = block.split('\n').find((each) => each.startsWith('data: '));
      if (line !== undefined) receive(JSON.parse(line.slice('data: '.length)) as TimedEvent);
    }
  }
}

async function until(isDone: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + timeoutMs;
  while (!isDone()) {
    if (systemClock.monotonic() > deadline) throw new Error('The sandbox did not answer in time.');
    await wait(20);
  }
}
