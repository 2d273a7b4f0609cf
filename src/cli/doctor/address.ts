import { z } from 'zod';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { type HttpProbeResult, probeHttp } from '../../platform/doctor/http-probe.ts';
import { second } from '../../platform/durations.ts';
import { localUrl } from '../../platform/host-address.ts';
import { parseJson } from '../../platform/json.ts';

/** Timeout of a request to the receiver (ms). */
const probeTimeoutMs = 6 * second;

/**
 * Checks whether the receiver is reachable: `GET /healthz`, and an unsigned delivery that must be rejected with the
 * receiver's own 401.
 *
 * @param url webhook URL as configured at the service, with or without the path; null checks HOST and PORT on this
 * machine instead
 */
export async function checkAddress(url: string | null, http: { host: string; port: number }): Promise<Finding[]> {
  if (url !== null) return checkPublicAddress(baseUrlOf(url));
  return [
    await checkLocalAddress(http),
    warn('The public address was not checked.', 'Specify it: `tallyhook doctor --url https://votes.example.org`.'),
  ];
}

/** The URL without the path of the webhooks. */
function baseUrlOf(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '').replace(/\/webhooks(\/(vote|premium))?$/, '');
}

async function checkPublicAddress(base: string): Promise<Finding[]> {
  const [delivery, health] = await Promise.all([
    sendUnsignedDelivery(base),
    probeHttp(`${base}/healthz`, {}, probeTimeoutMs),
  ]);
  const isReceiver = delivery.status === 401;
  const findings = [evaluateDelivery(base, delivery)];
  if (isReceiver && !isHealthResponse(health)) {
    const hint = 'Forward this path as well if an external monitor should use it.';
    findings.push(warn(`${base}/healthz does not return the health response of tallyhook.`, hint));
  }
  if (isReceiver && base.startsWith('http://')) {
    findings.push(warn(`${base} is not encrypted.`, 'Use an https URL: the service requires one.'));
  }
  return findings;
}

async function checkLocalAddress({ host, port }: { host: string; port: number }): Promise<Finding> {
  if (port === 0) return warn('PORT is 0, so the port of tallyhook is unknown.', 'Specify the address with --url.');
  const base = localUrl(host, port);
  const delivery = await sendUnsignedDelivery(base);
  if (delivery.status !== null) return evaluateDelivery(base, delivery);
  const hint = 'Start tallyhook, unless it runs on a different machine.';
  return warn(`${base} does not respond (${delivery.reason}).`, hint);
}

function sendUnsignedDelivery(base: string): Promise<HttpProbeResult> {
  const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  return probeHttp(`${base}/webhooks/vote`, init, probeTimeoutMs);
}

/** Evaluates the response to an unsigned delivery. */
export function evaluateDelivery(base: string, result: HttpProbeResult): Finding {
  if (result.status === null)
    return fail(`${base} does not respond (${result.reason}).`, unreachableHint(result.reason));
  const { status, headers, body } = result;
  if (status === 401 && rejection.safeParse(parseJson(body)).success) {
    return pass(`${base} is reachable and rejects unsigned deliveries.`);
  }
  if (status >= 300 && status < 400) return evaluateRedirect(base, status, headers.get('location') ?? 'nowhere');
  if (status === 502 || status === 503 || status === 504) {
    const hint = 'Start tallyhook, and check /readyz.';
    return fail(`The proxy at ${base} responds with ${status}: tallyhook is not running or not ready.`, hint);
  }
  if (status >= 200 && status < 300) {
    const hint = 'Configure the proxy to forward POST /webhooks/vote to the PORT of tallyhook.';
    return fail(`${base} accepts an unsigned delivery (${status}), so it is not tallyhook.`, hint);
  }
  return fail(
    `${base}/webhooks/vote responds with ${status}, but not like tallyhook.`,
    'Configure the proxy to forward requests to the PORT of tallyhook unchanged, without authentication of its own.',
  );
}

/** Senders follow a redirect with a GET request or not at all, so the body is always lost. */
function evaluateRedirect(base: string, status: number, location: string): Finding {
  const isHttpsRedirect = base.startsWith('http://') && location.startsWith('https://');
  return fail(
    `${base} redirects to ${location} (${status}), and redirected deliveries are lost.`,
    isHttpsRedirect ? 'Enter the https URL at the service.' : 'Enter the target of the redirect at the service.',
  );
}

function unreachableHint(reason: string): string {
  if (/CERT|SIGNED|SSL|TLS/i.test(reason)) {
    return 'Renew or correct the certificate of the proxy: the service rejects it as well.';
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'Correct the address or its DNS record.';
  return 'Check that the proxy is running and that the firewall allows connections.';
}

const rejection = z.object({ success: z.literal(false), error: z.unknown() });
const healthResponse = z.object({ alive: z.literal(true) });

function isHealthResponse(result: HttpProbeResult): boolean {
  return result.status === 200 && healthResponse.safeParse(parseJson(result.body)).success;
}
