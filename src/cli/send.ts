import { systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { httpUrlForm } from '@tallyhook/platform/pasted-forms';
import { isSnowflake } from '@tallyhook/platform/snowflake';
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

const responseTimeoutMs = 10 * second;
const wrongSecret = 'not-the-secret';

interface SendOptions {
  readonly to?: string;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly user: string;
  readonly username: string;
  readonly listing: string;
  readonly credits?: string;
  readonly site?: string;
  readonly duplicate?: boolean;
  readonly badSignature?: boolean;
  readonly reorder?: boolean;
  readonly json?: boolean;
}

export async function sendSamples(
  options: SendOptions,
  terminal: Terminal,
  [type]: readonly string[],
): Promise<number> {
  const { duplicate, badSignature, json } = options;
  const site = readSite(options.site);
  const payloads = readEvents(type, options, site, systemClock.now());
  const target = await readTarget(options.to);
  const secret = await readSecret({ secret: options.secret, file: options.secretFile }, terminal);
  const bodies = payloads.map((payload) => JSON.stringify(payload));
  const expected = badSignature ? '401' : '200';
  const results: (SendResult & { readonly request: string })[] = [];
  for (const body of duplicate ? [...bodies, ...bodies] : bodies) {
    const signed = signDelivery(site.schemes[0], body, badSignature ? wrongSecret : secret, systemClock.now());
    if (!json) terminal.print(`→ ${body}`);
    const result = { request: body, ...(await sendDelivery(target, signed, expected)) };
    if (!json) printResult(result, expected, terminal);
    results.push(result);
  }
  const allPassed = results.every(({ passed }) => passed);
  if (json) terminal.print(JSON.stringify({ passed: allPassed, deliveries: results }, null, 2));
  return allPassed ? exitCode.ok : exitCode.runtimeError;
}

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
function eventsOfSite(site: Site, type: SampleEventType, values: SendOptions, now: number): readonly object[] {
  if (type === 'premium') throw new UsageError(`${site.name} has no premium events.`);
  if (!/^\d{17,20}$/.test(values.user)) throw new UsageError('--user must be a Discord id of 17 to 20 digits.');
  const kind = type === 'bot-vote' || !site.kinds.includes('server') ? 'bot' : 'server';
  const voteAt = (at: number) =>
    site.write({ kind, targetId: values.listing, userId: values.user, at, id: String(at), isTest: type === 'test' });
  const times = values.reorder ? [now, now - site.cooldownMs - 1 * minute] : [now];
  return times.map(voteAt);
}

function readEvents(type: string | undefined, values: SendOptions, site: Site, now: number): readonly object[] {
  const known = sampleEventTypes.find((name) => name === type);
  if (known === undefined) throw new UsageError(`There is no event "${type}".`);
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
) {
  const startedAt = systemClock.monotonic();
  const { status, error, responseBody } = await post(target, body, headers, {
    clock: systemClock,
    timeoutMs: responseTimeoutMs,
  });
  const tookMs = Math.round(systemClock.monotonic() - startedAt);
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

function stripControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').trim();
}
