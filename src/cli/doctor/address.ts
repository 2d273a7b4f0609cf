import { second } from '../../platform/durations.ts';
import { type Finding, fail, pass, warn } from './finding.ts';
import { type HttpProbeResult, probeHttp } from './http-probe.ts';

/** How long an address may take to answer (ms). */
const patience = 6 * second;

/**
 * Is the receiver there? `GET /healthz`, and an unsigned delivery that must be refused with our own 401.
 * `url` is what the service is told, with or without the path; null looks on this machine instead.
 */
export async function checkAddress(url: string | null, http: { host: string; port: number }): Promise<Finding[]> {
  if (url !== null) return checkPublic(baseOf(url));
  return [
    await checkLocal(http),
    warn('The public address was not checked.', 'Give it: `tallyhook doctor --url https://votes.example.org`.'),
  ];
}

/** The address without the path of the webhooks. */
function baseOf(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '').replace(/\/webhooks(\/(vote|premium))?$/, '');
}

async function checkPublic(base: string): Promise<Finding[]> {
  const [delivery, health] = await Promise.all([deliver(base), probeHttp(`${base}/healthz`, {}, patience)]);
  const isPlain = base.startsWith('http://') && delivery.status === 401;
  return [
    evaluateDelivery(base, delivery),
    ...(delivery.status === 401 && !isAlive(health)
      ? [warn(`${base}/healthz does not answer as ours does.`, 'Pass it on too if something shall watch from outside.')]
      : []),
    ...(isPlain ? [warn(`${base} is not encrypted.`, 'Give the service an https address: it asks for one.')] : []),
  ];
}

async function checkLocal({ host, port }: { host: string; port: number }): Promise<Finding> {
  if (port === 0) return warn('PORT is 0, so where tallyhook listens is not known.', 'Give the address with --url.');
  const base = localBase(host, port);
  const reached = await deliver(base);
  if (reached.status !== null) return evaluateDelivery(base, reached);
  return warn(`Nothing answers on ${base} (${reached.reason}).`, 'Start tallyhook, unless it runs on another machine.');
}

/** What listens on every address is asked on the loopback. */
export function localBase(host: string, port: number): string {
  const asked = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}`;
}

function deliver(base: string): Promise<HttpProbeResult> {
  const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  return probeHttp(`${base}/webhooks/vote`, init, patience);
}

/** What an unsigned delivery says about the address. */
export function evaluateDelivery(base: string, reached: HttpProbeResult): Finding {
  if (reached.status === null) {
    return fail(`${base} does not answer (${reached.reason}).`, cureOf(reached.reason));
  }
  const { status, headers, body } = reached;
  if (status === 401 && isOurs(body)) return pass(`${base} is reached, and refuses what is not signed.`);
  if (status >= 300 && status < 400) return judgeRedirect(base, status, headers.get('location') ?? 'nowhere');
  if (status === 502 || status === 503 || status === 504) {
    return fail(
      `The proxy at ${base} answers ${status}: tallyhook is not there or not ready.`,
      'Start it, and see /readyz.',
    );
  }
  if (status >= 200 && status < 300) {
    return fail(
      `${base} answers an unsigned delivery with ${status}: that is not tallyhook.`,
      'See that the proxy passes POST /webhooks/vote on to the PORT of tallyhook.',
    );
  }
  return fail(
    `${base}/webhooks/vote answers ${status}, and not as tallyhook does.`,
    'See that the proxy passes it on to the PORT of tallyhook unchanged, and asks for no password itself.',
  );
}

/** A sender follows a redirect with a GET or not at all: the body is lost either way. */
function judgeRedirect(base: string, status: number, location: string): Finding {
  const toHttps = base.startsWith('http://') && location.startsWith('https://');
  return fail(
    `${base} redirects deliveries to ${location} (${status}), and a redirected delivery is lost.`,
    toHttps
      ? 'Give the service the https address: http leads there only.'
      : 'Give the service the address that it leads to.',
  );
}

function cureOf(reason: string): string {
  if (/CERT|SIGNED|SSL|TLS/i.test(reason))
    return 'Renew or correct the certificate of the proxy: the service refuses it too.';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'Correct the address, or its entry in the DNS.';
  return 'See that the proxy runs and that the firewall lets it be reached.';
}

function isOurs(body: string): boolean {
  const said = parsed(body);
  return typeof said === 'object' && said !== null && 'success' in said && said.success === false && 'error' in said;
}

function isAlive(reached: HttpProbeResult): boolean {
  if (reached.status !== 200) return false;
  const said = parsed(reached.body);
  return typeof said === 'object' && said !== null && 'alive' in said && said.alive === true;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
