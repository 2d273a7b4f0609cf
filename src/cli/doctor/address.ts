import { randomUUID } from 'node:crypto';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { type HttpProbeResult, probeHttp } from '@tallyhook/platform/doctor/http-probe';
import { findObstacle } from '@tallyhook/platform/doctor/obstacle';
import { second } from '@tallyhook/platform/durations';
import { localUrl } from '@tallyhook/platform/host-address';
import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { ListingConfig } from '../../../config/schema.ts';
import { readDeliveryPath } from '../../webhook/delivery-path.ts';
import { rejections } from '../../webhook/rejections.ts';
import { type ArrivedProbe, describeBody, writeProbe } from '../../webhook/response.ts';
import { signDelivery } from '../../webhook/sites/authenticate.ts';
import { findSite, service } from '../../webhook/sites/index.ts';
import { malformed, mismatch, missing, type Scheme, token } from '../../webhook/sites/scheme.ts';
import type { Site } from '../../webhook/sites/site.ts';

const probeTimeoutMs = 4 * second;

interface Receiver {
  readonly http: { readonly host: string; readonly port: number };
  readonly listings: readonly ListingConfig[];
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

function evaluateDelivery(base: string, result: HttpProbeResult, path = '/webhooks/vote'): Finding {
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

/** A test as the site of a listing signs its deliveries, which the receiver neither stores nor announces. */
interface SignedTest {
  readonly title: string;
  readonly path: string;
  readonly site: Site;
  readonly scheme: Scheme;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface TestResult {
  readonly test: SignedTest;
  readonly url: string;
  readonly response: HttpProbeResult;
}

const jsonType = { 'content-type': 'application/json' };

function unsignedDelivery(): RequestInit {
  return { method: 'POST', body: JSON.stringify(writeProbe(randomUUID())), headers: jsonType };
}

/** A test for each address and secret. @param path the only address to test; null for those in use */
function signedTests(listings: readonly ListingConfig[], path: string | null, now: number): SignedTest[] {
  const tests = listings.flatMap((listing) => testsOf(listing, path, now));
  const byCredentials = Map.groupBy(tests, ({ test, secret }) => [test.path, headerOf(test), secret].join('\n'));
  return [...byCredentials.values()].flatMap((same) => {
    const [first] = same;
    const titles = [...new Set(same.map(({ test }) => test.title))];
    return first === undefined ? [] : [{ ...first.test, title: titles.join(' and ') }];
  });
}

function testsOf(
  listing: ListingConfig,
  path: string | null,
  now: number,
): { readonly test: SignedTest; readonly secret: string }[] {
  const { name, ownAddress, voteSecrets, premiumSecrets, voteAuthorization } = listing;
  const site = listing.site === undefined ? service : findSite(listing.site);
  const [strongest] = site.schemes;
  const isShared = listing.site === undefined && !ownAddress;
  const title = listing.site === undefined ? name : `${name} on ${site.name}`;
  const test = (family: string, secret: string, scheme = strongest) => {
    const signed = signDelivery(scheme, JSON.stringify(writeProbe(randomUUID())), secret, now);
    const address = path ?? (isShared ? `/webhooks/${family}` : `/webhooks/${name}`);
    return { secret, test: { title, path: address, site, scheme, ...signed } };
  };
  if (strongest.type === 'none') return [test('vote', '')];
  const [vote] = voteSecrets;
  const [premium] = premiumSecrets;
  return [
    ...(vote !== undefined ? [test('vote', vote)] : []),
    ...(vote === undefined && voteAuthorization !== null ? [test('vote', voteAuthorization, token())] : []),
    ...(premium !== undefined ? [test('premium', premium)] : []),
  ];
}

function sendTests(base: string, tests: readonly SignedTest[], timeoutMs: number): Promise<TestResult[]> {
  return Promise.all(
    tests.map(async (test) => {
      const url = base + test.path;
      const init = { method: 'POST', body: test.body, headers: { ...jsonType, ...test.headers } };
      return { test, url, response: await probeHttp(url, init, timeoutMs) };
    }),
  );
}

/** Compares what has arrived with what was sent. @param sendDirectly sends tests past the proxy; null if they were */
async function evaluateTests(
  results: readonly TestResult[],
  sendDirectly: ((tests: SignedTest[]) => Promise<TestResult[]>) | null,
): Promise<Finding[]> {
  const direct =
    sendDirectly === null ? results : await sendDirectly(results.filter(isMismatch).map(({ test }) => test));
  const isAccepted = new Map(
    direct.flatMap((each) => (isCompared(each) ? [[each.test, isArrived(each)] as const] : [])),
  );
  const verdicts = results.map((result) => ({
    title: result.test.title,
    verdict: judge(result, isAccepted.get(result.test) ?? null),
  }));
  return [...Map.groupBy(verdicts, ({ verdict }) => JSON.stringify(verdict)).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const titles = new Intl.ListFormat('en').format(new Set(same.map(({ title }) => title)));
    if (first.verdict === null) return [pass(`A signed test for ${titles} arrives unchanged.`)];
    return [fail(`A signed test for ${titles} is lost: ${first.verdict.problem}`, first.verdict.hint)];
  });
}

interface Verdict {
  /** Rest of a sentence. */
  readonly problem: string;
  readonly hint: string;
}

const received = z.object({ received: z.literal(true), outcome: z.string() });
const acceptance = z.object({
  received: z.literal(true),
  arrived: z.object({ bytes: z.number(), sha256: z.string() }),
});

function arrivedIn({ response }: TestResult): ArrivedProbe | undefined {
  if (response.status !== 200) return undefined;
  return acceptance.safeParse(parseJson(response.body)).data?.arrived;
}

const isArrived = (result: TestResult) => arrivedIn(result)?.sha256 === describeBody(result.test.body).sha256;

function errorIn({ response }: TestResult): string | undefined {
  return response.status === null ? undefined : rejection.safeParse(parseJson(response.body)).data?.error;
}

function isReceived(response: HttpProbeResult): boolean {
  return response.status === 200 && received.safeParse(parseJson(response.body)).success;
}

function isMismatch(result: TestResult): boolean {
  const { message } = rejections.webhook_signature_mismatch;
  const error = errorIn(result);
  return error === mismatch(result.test.site).error || error?.startsWith(message) === true;
}

const isCompared = (result: TestResult) => isArrived(result) || isMismatch(result);

const secretHint = 'Restart it after a change of the settings, or run the doctor with its settings and database.';
const unchangedHint =
  'Configure the proxy to forward method, headers and body as they are: no compression, conversion or filter of bodies.';

/** Null if it has arrived as it was sent. @param isAcceptedDirectly the same past the proxy; null if not known */
function judge(result: TestResult, isAcceptedDirectly: boolean | null): Verdict | null {
  const { test, url, response } = result;
  const header = headerOf(test);
  if (isArrived(result)) return null;
  const arrived = arrivedIn(result);
  if (arrived !== undefined) {
    const sent = describeBody(test.body);
    const sizes = arrived.bytes === sent.bytes ? '' : ` (${arrived.bytes} bytes instead of ${sent.bytes})`;
    return { problem: `its body arrives changed${sizes}.`, hint: unchangedHint };
  }
  const error = errorIn(result);
  // A listing that captures everything stores a body that is not recognised.
  if (isReceived(response)) return { problem: 'its body arrives changed.', hint: unchangedHint };
  if (error === undefined || response.status === null) {
    const { problem, hint } = findObstacle(response, { url, route: `POST ${test.path}`, program: 'tallyhook' });
    return { problem, hint };
  }
  if (isMismatch(result)) return judgeMismatch(test, isAcceptedDirectly);
  const { webhook_signature_missing, webhook_signature_malformed } = rejections;
  if (error === webhook_signature_missing.message || error === missing(test.site).error) {
    const problem = `the header ${header} does not arrive.`;
    return { problem, hint: `Configure the proxy to forward the header ${header}: it proves the sender.` };
  }
  if (error === webhook_signature_malformed.message || error === malformed(header ?? '').error)
    return { problem: `the header ${header} arrives changed.`, hint: unchangedHint };
  const generic = judgeRejection(response.status, error, test.path);
  return generic ?? { problem: `tallyhook answers ${response.status}: ${error}`, hint: unchangedHint };
}

/** Finding for a rejection of tallyhook that shows what happened to a request on its way; null for others. */
function judgeRejection(status: number, error: string, path: string): Verdict | null {
  const { webhook_method, webhook_body_encoded, webhook_body_too_large } = rejections;
  const { webhook_body_empty, webhook_body_not_json } = rejections;
  if (error.startsWith(webhook_method.message)) {
    const hint = 'Configure the proxy to forward the request itself: it follows a redirect, or changes the method.';
    return { problem: 'the POST arrives as another method, such as GET.', hint };
  }
  switch (error) {
    case webhook_body_empty.message:
    case webhook_body_not_json.message:
    case webhook_body_too_large.message:
      return { problem: `its body does not arrive as it was sent: ${error}`, hint: unchangedHint };
    case webhook_body_encoded.message:
      return { problem: 'its body arrives compressed.', hint: 'Switch off the compression of requests in the proxy.' };
    case 'Not found.': {
      const hint =
        'Check TALLYHOOK_ROLES, that the proxy forwards the whole path, and that this database is that of the running tallyhook.';
      return { problem: `the running tallyhook does not know ${path}, or the path arrives changed.`, hint };
    }
    default:
      return status === 503 ? { problem: error, hint: 'See the log of tallyhook, and /readyz.' } : null;
  }
}

function judgeMismatch({ scheme }: SignedTest, isAcceptedDirectly: boolean | null): Verdict {
  const otherSecret = 'the running tallyhook has another secret for it';
  if (isAcceptedDirectly === false) return { problem: `${otherSecret}.`, hint: secretHint };
  const parts = [
    ...(scheme.type === 'token' ? [] : ['its body']),
    ...('header' in scheme ? [`the header ${scheme.header}`] : []),
  ].join(' or ');
  if (isAcceptedDirectly === true)
    return { problem: `${parts} arrives changed: sent directly, it is accepted.`, hint: unchangedHint };
  return {
    problem: `${parts} arrives changed, or ${otherSecret}.`,
    hint: `${unchangedHint} Otherwise: ${secretHint}`,
  };
}

/** The header that carries the signature or secret; null if the body does, or nothing. */
const headerOf = ({ scheme }: SignedTest) => ('header' in scheme ? scheme.header : null);
