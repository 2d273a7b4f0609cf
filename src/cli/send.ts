import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { httpUrlForm } from '@tallyhook/platform/pasted-forms';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { type CliCommand, command, type ParsedArgs } from '@tallyhook/platform/terminal/command';
import { exitCode, readSecret, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { type ServiceMember, voteCooldownMs } from 'listing-service';
import {
  lifecyclePayload,
  newPurchase,
  type Payload,
  post,
  purchasePayload,
  RejectedTargetError,
  resolveTarget,
  systemResolve,
  votePayload,
  type WebhookTarget,
} from 'listing-service/webhooks';
import { signDelivery } from '../webhook/sites/authenticate.ts';
import { sites } from '../webhook/sites/index.ts';
import type { Site } from '../webhook/sites/site.ts';

const sampleEventTypes = ['vote', 'bot-vote', 'premium', 'test'] as const;

type SampleEventType = (typeof sampleEventTypes)[number];

interface SampleEventInput {
  readonly listingId: string;
  readonly member: ServiceMember;
  readonly creditsAwarded: number | boolean;
}

/** One event as the service would send it at `now` (ms since the epoch). */
function sampleEvent(type: SampleEventType, input: SampleEventInput, now: number): Payload {
  const { listingId, member, creditsAwarded } = input;
  const listing = { kind: type === 'bot-vote' ? 'bot' : 'server', id: listingId, name: 'Sample listing' } as const;
  if (type === 'premium') return purchasePayload(listing, newPurchase(listingId, { buyer: member }, now), now);
  const test = type === 'test';
  return votePayload(listing, { voter: member, at: now, creditsAwarded, adBlocker: false, denialReason: null, test });
}

/** Two events in the wrong order: two votes of one user, or a renewal before its purchase. */
function reorderedEvents(type: SampleEventType, input: SampleEventInput, now: number): Payload[] {
  if (type !== 'premium') {
    return [sampleEvent(type, input, now), sampleEvent(type, input, now - voteCooldownMs - 1 * minute)];
  }
  const listing = { kind: 'server', id: input.listingId, name: 'Sample listing' } as const;
  const order = newPurchase(input.listingId, { buyer: input.member }, now - 1 * minute);
  return [
    lifecyclePayload('subscription.renewed', listing, order, now),
    purchasePayload(listing, order, now - 1 * minute),
  ];
}

const help = `tallyhook send: send a signed test delivery to a webhook receiver and print the response

Usage
  tallyhook send vote --to URL --secret SECRET [options]       a vote for a server
  tallyhook send bot-vote --to URL --secret SECRET [options]   a vote for a bot
  tallyhook send premium --to URL --secret SECRET [options]    a premium purchase
  tallyhook send test --to URL --secret SECRET [options]       the test event of the dashboard's "Test Webhook"

Options
  --to URL             URL of the receiver
  --secret SECRET      webhook secret that signs the delivery; better use --secret-file
  --secret-file FILE   read the secret from a file, or from stdin with -, to keep it out of the shell history
  --user ID            Discord id of the voter or buyer (default 123456789012345678)
  --username NAME      name of the voter or buyer (default "Test voter")
  --listing ID         Discord id of the server or bot (default 613425648685547541)
  --credits N          creditsAwarded in the vote (default true, the receiver's own amount)
  --site SITE          send a vote or test as another listing site does, such as topgg, to /webhooks/<name of the listing>
  --json               print the result as a JSON object:
                       {passed, deliveries: [{request, status, response, error, tookMs, passed}]}
  --help               print this help

  error tests:
  --duplicate          send the same delivery twice; the receiver must count it once
  --bad-signature      sign with another secret; the receiver must return 401
  --reorder            send two events in the wrong order: two votes, newer first, or a renewal before its purchase

Exit codes: 0 the receiver returned the expected status, 1 it did not, 2 invalid usage.`;

const responseTimeoutMs = 10 * second;
const wrongSecret = 'not-the-secret';

const options = {
  to: { type: 'string' },
  secret: { type: 'string' },
  'secret-file': { type: 'string' },
  user: { type: 'string', default: '123456789012345678' },
  username: { type: 'string', default: 'Test voter' },
  listing: { type: 'string', default: '613425648685547541' },
  credits: { type: 'string' },
  site: { type: 'string' },
  duplicate: { type: 'boolean', default: false },
  'bad-signature': { type: 'boolean', default: false },
  reorder: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

type Values = ParsedArgs<typeof options>['values'];

/** `tallyhook send …`: tests a webhook receiver. */
export function createSendCommand(clock: Clock): CliCommand {
  return command({
    help,
    options,
    allowPositionals: true,
    async run({ values, positionals }, terminal) {
      const site = readSite(values.site);
      const payloads = readEvents(positionals, values, site, clock.now());
      const target = await readTarget(values.to);
      const secret = await readSecret({ secret: values.secret, file: values['secret-file'] }, terminal);
      const bodies = payloads.map((payload) => JSON.stringify(payload));
      const expected = values['bad-signature'] ? '401' : '200';
      const results: (SendResult & { readonly request: string })[] = [];
      for (const body of values.duplicate ? [...bodies, ...bodies] : bodies) {
        const usedSecret = values['bad-signature'] ? wrongSecret : secret;
        const signed = signDelivery(site.schemes[0], body, usedSecret, clock.now());
        if (!values.json) terminal.print(`→ ${body}`);
        const result = { request: body, ...(await sendDelivery(target, signed, expected, clock)) };
        if (!values.json) printResult(result, expected, terminal);
        results.push(result);
      }
      const allPassed = results.every(({ passed }) => passed);
      if (values.json) terminal.print(JSON.stringify({ passed: allPassed, deliveries: results }, null, 2));
      return allPassed ? exitCode.ok : exitCode.runtimeError;
    },
  });
}

export const sendCommand = createSendCommand(systemClock);

const [service] = sites;

/** The site that is imitated; by default the document's service. */
function readSite(id: string | undefined): Site {
  const known = sites.filter((each) => each.id !== 'capture');
  const site = id === undefined ? service : known.find((each) => each.id === id);
  if (site === undefined) {
    const names = known.map((each) => each.id);
    throw new UsageError(withSuggestion(`--site must be one of ${names.join(', ')}.`, id ?? '', names));
  }
  return site;
}

/** Events of another site, newest first. */
function eventsOfSite(site: Site, type: SampleEventType, values: Values, now: number): readonly object[] {
  if (type === 'premium') throw new UsageError(`${site.name} has no premium events.`);
  if (!/^\d{17,20}$/.test(values.user)) throw new UsageError('--user must be a Discord id of 17 to 20 digits.');
  const kind = type === 'bot-vote' || !site.kinds.includes('server') ? 'bot' : 'server';
  const voteAt = (at: number) =>
    site.write({ kind, targetId: values.listing, userId: values.user, at, id: String(at), isTest: type === 'test' });
  const times = values.reorder ? [now, now - site.cooldownMs - 1 * minute] : [now];
  return times.map(voteAt);
}

/** One event, or with `--reorder` two, in the order in which they are sent. */
function readEvents(
  [type, ...extraArguments]: readonly string[],
  values: Values,
  site: Site,
  now: number,
): readonly object[] {
  if (extraArguments.length > 0) throw new UsageError(`Unexpected argument "${extraArguments.join(' ')}".`);
  const known = sampleEventTypes.find((name) => name === type);
  if (known === undefined) {
    const message = 'Name the event to send: vote, bot-vote, premium or test.';
    throw new UsageError(withSuggestion(message, type ?? '', sampleEventTypes));
  }
  if (!isSnowflake(values.user)) throw new UsageError('--user must be a Discord id, 1 to 20 digits.');
  if (!isSnowflake(values.listing)) throw new UsageError('--listing must be a Discord id, 1 to 20 digits.');
  if (values.credits !== undefined && !/^\d+$/.test(values.credits))
    throw new UsageError('--credits must be a number.');
  if (site !== service) return eventsOfSite(site, known, values, now);
  const input = {
    listingId: values.listing,
    member: { userId: values.user, username: values.username },
    creditsAwarded: values.credits === undefined ? true : Number(values.credits),
  };
  return values.reorder ? reorderedEvents(known, input, now) : [sampleEvent(known, input, now)];
}

async function readTarget(to: string | undefined): Promise<WebhookTarget> {
  if (to === undefined) throw new UsageError('--to is missing: the URL of the receiver.');
  const url = httpUrlForm.clean(to);
  const problem = httpUrlForm.problem(url);
  if (problem !== null) throw new UsageError(`--to: ${problem}.`);
  try {
    return await resolveTarget(new URL(url), systemResolve);
  } catch (thrown) {
    if (thrown instanceof RejectedTargetError) throw new UsageError(thrown.message);
    throw thrown;
  }
}

/** The response (a status and a body) or error; `passed` if the status is the expected one. Part of the output of --json. */
type SendResult = Awaited<ReturnType<typeof sendDelivery>>;

async function sendDelivery(
  target: WebhookTarget,
  { headers, body }: ReturnType<typeof signDelivery>,
  expected: '200' | '401',
  clock: Clock,
) {
  const startedAt = clock.monotonic();
  const { status, error, responseBody } = await post(target, body, headers, { clock, timeoutMs: responseTimeoutMs });
  const tookMs = Math.round(clock.monotonic() - startedAt);
  return {
    status,
    response: responseBody === null ? null : stripControlCharacters(responseBody),
    error,
    tookMs,
    passed: status !== null && (expected === '401' ? status === 401 : status >= 200 && status < 300),
  };
}

function printResult(
  { status, response, error, tookMs, passed }: SendResult,
  expected: '200' | '401',
  terminal: Terminal,
): void {
  if (status === null) terminal.printError(`✗ no response after ${tookMs} ms: ${error}`);
  else terminal.print(`← ${status} in ${tookMs} ms: ${response}`);
  if (status !== null && !passed) terminal.printError(`✗ expected status ${expected}`);
}

/** Removes control characters, which could change the state of the terminal. */
function stripControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').trim();
}
