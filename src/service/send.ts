import type { parseArgs } from 'node:util';
import { type Clock, systemClock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { parseOptions } from '../terminal/command.ts';
import { exitCode, readSecret, runCommand, type Terminal, UsageError, withSuggestion } from '../terminal/terminal.ts';
import { sign } from '../webhook/signature.ts';
import { listingIdSchema } from './listing/listing.ts';
import { isSendable, reorderedEvents, sampleEvent, sendables } from './sample-events.ts';
import type { Payload } from './webhooks/payloads.ts';
import { post, signatureHeader } from './webhooks/post.ts';
import { RejectedTargetError, resolveTarget, systemResolve, type WebhookTarget } from './webhooks/target.ts';

export const sendHelp = `tallyhook send: signs one delivery, sends it to a receiver and prints what came back

Usage
  tallyhook send vote|bot-vote|premium|test --to URL --secret SECRET [options]

  vote        a vote for a server
  bot-vote    a vote for a bot
  premium     a premium purchase
  test        what the dashboard's "Test Webhook" sends

Options
  --to URL             the receiver
  --secret SECRET      what signs; better:
  --secret-file FILE   reads it from a file, or with - from what is piped in, so that it stays out of the shell's history
  --user ID            the voter or buyer (default 123456789012345678)
  --username NAME      the name of the voter or buyer (default "Test voter")
  --listing ID         the server or bot (default 613425648685547541)
  --credits N          what the vote says of credits (default: true, the receiver's own amount)
  --json               print one JSON object: {passed, deliveries: [{request, status, response, error, tookMs, passed}]}

Deliberate faults
  --duplicate          sends the same delivery twice; it must count once
  --bad-signature      signs with another secret; the receiver must answer 401
  --reorder            sends two events in the wrong order: of votes the later first, of premium the renewal before its purchase

Exit codes: 0 the receiver answered as it should, 1 it did not, 2 wrong usage.`;

const answerTimeout = 10 * second;
const otherSecret = 'not-the-secret';

/** `tallyhook send …`, for owners who want to see what their receiver does. */
export function sendCommand(args: readonly string[], terminal: Terminal, clock: Clock = systemClock): Promise<number> {
  return runCommand(terminal, async () => {
    const { values, positionals } = parseOptions({ args: [...args], options: words, allowPositionals: true });
    if (values.help) {
      terminal.print(sendHelp);
      return exitCode.ok;
    }
    const payloads = readEvents(positionals, values, clock.now());
    const target = await readTarget(values.to);
    const secret = await readSecret({ secret: values.secret, file: values['secret-file'] }, terminal);
    const bodies = payloads.map((payload) => JSON.stringify(payload));
    const wanted = values['bad-signature'] ? refused : accepted;
    const sent: Delivery[] = [];
    for (const body of values.duplicate ? [...bodies, ...bodies] : bodies) {
      const signature = sign(body, values['bad-signature'] ? otherSecret : secret);
      if (!values.json) terminal.print(`→ ${body}`);
      const delivery = await sendOne(target, body, signature, wanted, clock);
      if (!values.json) tell(delivery, wanted, terminal);
      sent.push(delivery);
    }
    const fine = sent.every(({ passed }) => passed);
    if (values.json) terminal.print(JSON.stringify({ passed: fine, deliveries: sent }, null, 2));
    return fine ? exitCode.ok : exitCode.runtimeError;
  });
}

const words = {
  to: { type: 'string' },
  secret: { type: 'string' },
  'secret-file': { type: 'string' },
  user: { type: 'string', default: '123456789012345678' },
  username: { type: 'string', default: 'Test voter' },
  listing: { type: 'string', default: '613425648685547541' },
  credits: { type: 'string' },
  duplicate: { type: 'boolean', default: false },
  'bad-signature': { type: 'boolean', default: false },
  reorder: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof words }>>['values'];

/** One event, or with `--reorder` two, in the order in which they are sent. */
function readEvents([what, ...rest]: readonly string[], values: Values, now: number): Payload[] {
  if (rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is not understood.`);
  if (!isSendable(what)) {
    const message = 'Say what to send: vote, bot-vote, premium or test.';
    throw new UsageError(withSuggestion(message, what ?? '', sendables));
  }
  if (!listingIdSchema.test(values.user)) throw new UsageError('--user must be a Discord id, 1 to 20 digits.');
  if (!listingIdSchema.test(values.listing)) throw new UsageError('--listing must be a Discord id, 1 to 20 digits.');
  if (values.credits !== undefined && !/^\d+$/.test(values.credits))
    throw new UsageError('--credits must be a number.');
  const facts = {
    listingId: values.listing,
    member: { userId: values.user, username: values.username },
    creditsAwarded: values.credits === undefined ? true : Number(values.credits),
  };
  return values.reorder ? reorderedEvents(what, facts, now) : [sampleEvent(what, facts, now)];
}

async function readTarget(to: string | undefined): Promise<WebhookTarget> {
  if (to === undefined || !/^https?:\/\//.test(to) || !URL.canParse(to)) throw new UsageError('--to must be a URL.');
  try {
    return await resolveTarget(new URL(to), systemResolve);
  } catch (thrown) {
    if (thrown instanceof RejectedTargetError) throw new UsageError(thrown.message);
    throw thrown;
  }
}

interface Wanted {
  readonly words: string;
  readonly holds: (status: number) => boolean;
}

const accepted: Wanted = { words: '200', holds: (status) => status >= 200 && status < 300 };
const refused: Wanted = { words: '401', holds: (status) => status === 401 };

/** What was sent, and what came back: a status and a body, or an error. */
interface Delivery {
  readonly request: string;
  readonly status: number | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly tookMs: number;
  /** Whether the receiver answered with the status that it should. */
  readonly passed: boolean;
}

async function sendOne(
  target: WebhookTarget,
  request: string,
  signature: string,
  wanted: Wanted,
  clock: Clock,
): Promise<Delivery> {
  const began = clock.monotonic();
  const outcome = await post(target, request, { [signatureHeader]: signature }, { clock, timeout: answerTimeout });
  const tookMs = Math.round(clock.monotonic() - began);
  const { status } = outcome;
  if (status === null) return { request, status, response: null, error: outcome.error, tookMs, passed: false };
  return { request, status, response: visible(outcome.answer), error: null, tookMs, passed: wanted.holds(status) };
}

function tell({ status, response, error, tookMs, passed }: Delivery, wanted: Wanted, terminal: Terminal): void {
  if (status === null) terminal.printError(`✗ no answer after ${tookMs} ms: ${error}`);
  else terminal.print(`← ${status} in ${tookMs} ms: ${response}`);
  if (status !== null && !passed) terminal.printError(`✗ the receiver should have answered ${wanted.words}`);
}

/** A receiver's words without what would steer a terminal. */
function visible(answer: string): string {
  return answer.replace(/\p{Cc}/gu, ' ').trim();
}
