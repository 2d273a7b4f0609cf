import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { type HttpProbeResult, probeHttp } from '@tallyhook/platform/doctor/http-probe';
import { findObstacle } from '@tallyhook/platform/doctor/obstacle';
import { second } from '@tallyhook/platform/durations';
import { localUrl } from '@tallyhook/platform/host-address';
import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { ListingConfig } from '../../../config/schema.ts';
import { readDeliveryPath } from '../../webhook/delivery-path.ts';
import { evaluateTests, judgeRejection, sendTests, signedTests, unsignedDelivery } from './signed-test.ts';

/** Timeout of a request to the receiver (ms). */
const probeTimeoutMs = 4 * second;

interface Receiver {
  /** HOST and PORT. */
  readonly http: { readonly host: string; readonly port: number };
  /** Those whose secrets sign a test each. */
  readonly listings: readonly ListingConfig[];
  /** PUBLIC_URL, for the hint. */
  readonly publicUrl?: string | null;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * Checks whether deliveries reach the receiver as they are sent: an unsigned one must be rejected with the receiver's own
 * 401, and a signed test of each listing must arrive unchanged. Nothing of it is stored.
 *
 * @param url webhook URL as configured at the service, with or without the path; null checks HOST and PORT on this
 * machine instead
 */
export async function checkAddress(url: string | null, receiver: Receiver): Promise<Finding[]> {
  if (url !== null) return checkPublicAddress(url, receiver);
  const example = receiver.publicUrl ?? 'https://votes.example.org';
  return [
    ...(await checkLocalAddress(receiver)),
    warn('The public address was not checked.', `Specify it: \`tallyhook doctor --url ${example}\`.`),
  ];
}

/** The URL without the path of the webhooks, and that path. */
function splitUrl(url: string): { readonly base: string; readonly path: string; readonly listing: string | null } {
  const { origin, pathname } = new URL(url);
  const start = pathname.indexOf('/webhooks');
  const path = start === -1 ? null : readDeliveryPath(pathname.slice(start));
  const prefix = (path === null ? pathname : pathname.slice(0, start)).replace(/(?<!\/)\/+$/, '');
  const listing = path?.listing ?? null;
  return { base: origin + prefix, path: listing === null ? '/webhooks/vote' : `/webhooks/${listing}`, listing };
}

async function checkPublicAddress(url: string, receiver: Receiver): Promise<Finding[]> {
  const { base, path, listing } = splitUrl(url);
  const { listings, http, now } = receiver;
  const [delivery, health] = await Promise.all([
    sendUnsigned(base, path),
    probeHttp(`${base}/healthz`, {}, probeTimeoutMs),
  ]);
  const reached = evaluateDelivery(base, delivery, path);
  if (reached.level === 'fail') return [isHealthResponse(health) ? onlyHealth(reached, path) : reached];
  const named = listing === null ? listings : listings.filter(({ name }) => name === listing);
  if (listing !== null && named.length === 0)
    return [reached, warn(`Its secret is not known here, so no signed test for ${listing} was sent.`)];
  const findings = [reached, ...(await sendSignedTests({ base, path: listing === null ? null : path }, named))];
  if (!isHealthResponse(health)) {
    const hint = 'Forward this path as well if an external monitor should use it.';
    findings.push(warn(`${base}/healthz does not return the health response of tallyhook.`, hint));
  }
  if (base.startsWith('http://')) {
    findings.push(warn(`${base} is not encrypted.`, 'Use an https URL: the service requires one.'));
  }
  return findings;

  async function sendSignedTests(place: { readonly base: string; readonly path: string | null }, of: typeof named) {
    const tests = signedTests(of, place.path, now);
    const results = await sendTests(place.base, tests, probeTimeoutMs);
    const local = http.port === 0 ? null : localUrl(http.host, http.port);
    if (local === base) return evaluateTests(results, null);
    // What arrives on this machine shows whether a proxy, or the secret, is the cause.
    return evaluateTests(results, async (failed) => (local === null ? [] : sendTests(local, failed, probeTimeoutMs)));
  }
}

/** The health response is tallyhook's, so the proxy forwards another path. */
function onlyHealth({ message }: Finding, path: string): Finding {
  const hint = `/healthz leads to tallyhook there. Forward POST ${path} in the same way, in a process with the role receive.`;
  return fail(message, hint);
}

async function checkLocalAddress({ http: { host, port }, listings, now }: Receiver): Promise<Finding[]> {
  if (port === 0) return [warn('PORT is 0, so the port of tallyhook is unknown.', 'Specify the address with --url.')];
  const base = localUrl(host, port);
  const delivery = await sendUnsigned(base, '/webhooks/vote');
  if (delivery.status === null) {
    const hint = 'Start tallyhook, unless it runs on a different machine.';
    return [warn(`${base} does not respond (${delivery.reason}).`, hint)];
  }
  const reached = evaluateDelivery(base, delivery, '/webhooks/vote');
  if (reached.level === 'fail') return [reached];
  const results = await sendTests(base, signedTests(listings, null, now), probeTimeoutMs);
  return [reached, ...(await evaluateTests(results, null))];
}

function sendUnsigned(base: string, path: string): Promise<HttpProbeResult> {
  return probeHttp(base + path, unsignedDelivery(), probeTimeoutMs);
}

/** Evaluates the response to an unsigned delivery. */
export function evaluateDelivery(base: string, result: HttpProbeResult, path = '/webhooks/vote'): Finding {
  if (result.status !== null) {
    const { status, body } = result;
    const json = parseJson(body);
    const error = rejection.safeParse(json).data?.error;
    if (status === 401 && error !== undefined) return pass(`${base} is reachable and rejects unsigned deliveries.`);
    // What a listing that captures everything answers.
    if (status === 200 && probed.safeParse(json).success) return pass(`${base}${path} is reachable.`);
    const verdict = error === undefined ? null : judgeRejection(status, error, path);
    if (verdict !== null) return fail(`A delivery to ${base}${path} is lost: ${verdict.problem}`, verdict.hint);
  }
  const { problem, hint } = findObstacle(result, {
    url: base + path,
    route: `POST ${path}`,
    program: 'tallyhook',
  });
  return fail(problem, hint);
}

const rejection = z.object({ success: z.literal(false), error: z.string() });
const probed = z.object({ received: z.literal(true), arrived: z.unknown() });
const healthResponse = z.object({ alive: z.literal(true) });

function isHealthResponse(result: HttpProbeResult): boolean {
  return result.status === 200 && healthResponse.safeParse(parseJson(result.body)).success;
}
