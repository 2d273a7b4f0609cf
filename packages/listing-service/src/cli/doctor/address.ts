import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { type HttpProbeResult, probeHttp } from '@tallyhook/platform/doctor/http-probe';
import { formatCount, second } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import { apiBasePath } from '../../api/openapi.ts';
import { callbackPath, type DiscordApplication } from '../../discord-sign-in/discord-accounts.ts';

const probeTimeoutMs = 6 * second;
const alive = z.object({ alive: z.literal(true) });
const readiness = z.object({ parts: z.record(z.string(), z.object({ ready: z.boolean() })) });
const failure = z.object({ success: z.literal(false), error: z.string() });

/**
 * Checks whether the service is reachable at its public URL, whether a proxy in front of it keeps what clients send, and
 * whether the running process is ready.
 */
export async function checkAddress(publicUrl: string | undefined): Promise<Finding[]> {
  if (publicUrl === undefined) {
    return [warn('The public address was not checked.', 'Specify it: --public-url https://list.example.')];
  }
  const base = publicUrl.replace(/(?<!\/)\/+$/, '');
  const probe = (path: string, headers: Record<string, string> = {}) =>
    probeHttp(base + path, { headers }, probeTimeoutMs);
  const [health, ready, keyed, metrics] = await Promise.all([
    probe('/healthz'),
    probe('/readyz'),
    probe(`${apiBasePath}/server`, { 'x-api-key': 'a-key-that-does-not-exist' }),
    probe('/metrics'),
  ]);
  const reachable = evaluateHealth(base, health);
  if (reachable.level === 'fail') return [reachable];
  return [
    reachable,
    ...evaluateEncryption(base),
    ...evaluateReadiness(ready),
    evaluateKeyHeader(keyed),
    ...evaluateMetrics(base, metrics),
  ];
}

export function evaluateHealth(base: string, result: HttpProbeResult): Finding {
  if (result.status === null) {
    const hint = /CERT|SIGNED|SSL|TLS/i.test(result.reason)
      ? 'Renew or correct the certificate of the proxy.'
      : 'Check the DNS record, that the proxy and the service run, and that the firewall allows connections.';
    return fail(`${base} does not respond (${result.reason}).`, hint);
  }
  const { status, headers, body } = result;
  if (status === 200 && alive.safeParse(parseJson(body)).success) return pass(`${base} is reachable.`);
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? 'nowhere';
    return fail(`${base} redirects to ${target} (${status}).`, 'Use the target of the redirect as --public-url.');
  }
  return fail(
    `${base}/healthz responds with ${status}, but not like the service.`,
    'Configure the proxy to forward all paths to the --port of the service unchanged.',
  );
}

function evaluateEncryption(base: string): Finding[] {
  if (base.startsWith('https://')) return [];
  return [warn(`${base} is not encrypted.`, 'Use an https URL: API keys and sessions can be read on the way.')];
}

function evaluateReadiness(result: HttpProbeResult): Finding[] {
  const parsed = result.status === null ? undefined : readiness.safeParse(parseJson(result.body)).data;
  if (parsed === undefined) {
    return [warn('/readyz does not respond like the service.', 'Forward it as well if a load balancer uses it.')];
  }
  const failing = Object.entries(parsed.parts).flatMap(([name, { ready }]) => (ready ? [] : [name]));
  if (result.status === 200) return [pass('The running service is ready.')];
  const reason = failing.length === 0 ? 'it is stopping' : failing.join(', ');
  return [fail(`The running service is not ready: ${reason}.`, 'See its log, or /readyz on its --operations-port.')];
}

/** The service says whether a key is missing or unknown, which shows whether the header arrives. */
export function evaluateKeyHeader(result: HttpProbeResult): Finding {
  const parsed = result.status === 401 ? failure.safeParse(parseJson(result.body)).data : undefined;
  if (parsed?.error.includes('invalid')) return pass('The API is reachable, and API keys arrive.');
  if (parsed?.error.includes('missing')) {
    return fail('The header X-API-Key does not arrive.', 'Configure the proxy to forward the header X-API-Key.');
  }
  return fail(
    `${apiBasePath}/server responds with ${result.status ?? result.reason}, but not like the service.`,
    'Configure the proxy to forward the API unchanged, without authentication of its own.',
  );
}

function evaluateMetrics(base: string, result: HttpProbeResult): Finding[] {
  const isPublic = result.status === 200 && result.body.includes('tallyhook_service_');
  if (!isPublic) return [];
  return [fail(`Everybody can read ${base}/metrics.`, 'The proxy must not forward to the --operations-port.')];
}

/** How people sign in. @param apiUrl of Discord, without the version */
export async function checkSignIn(
  { discord, production }: { readonly discord: DiscordApplication | undefined; readonly production: boolean },
  apiUrl: string,
): Promise<Finding[]> {
  if (!production) {
    return [warn('Without --production, every visitor may act as any member.', 'For hosting, use --production.')];
  }
  if (discord === undefined) {
    const hint = 'Set --discord-client-id and SERVICE_DISCORD_CLIENT_SECRET, so that members can sign in themselves.';
    return [warn('Members sign in with the links of the operator only.', hint)];
  }
  const { clientId, clientSecret } = discord;
  const result = await probeHttp(
    `${apiUrl}/v10/oauth2/token`,
    {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' }),
    },
    probeTimeoutMs,
  );
  return [evaluateCredentials(result)];
}

/** Who moderates, and whether the limits per address can tell clients apart. */
export function evaluateProtection(values: {
  readonly production: boolean;
  readonly operators: readonly string[];
  readonly trustProxy: number;
}): Finding[] {
  if (!values.production) return [];
  const { operators, trustProxy } = values;
  const moderated =
    operators.length > 0
      ? pass(`The moderation pages are open to ${formatCount(operators.length, 'operator')}.`)
      : warn('Nobody can open the moderation pages.', 'Set --operator to the Discord id of a person.');
  if (trustProxy > 0) return [moderated];
  const hint = 'Behind one reverse proxy, use --trust-proxy 1; otherwise all visitors share the limits of one address.';
  return [moderated, warn('With --trust-proxy 0, the address of a visitor is that of the proxy.', hint)];
}

/** Evaluates the response to a request for a token of the application itself. */
export function evaluateCredentials(result: HttpProbeResult): Finding {
  if (result.status === 200) {
    return pass(`Discord accepts the client id and secret. The redirect URL must end in ${callbackPath}.`);
  }
  if (result.status === 401) {
    const hint =
      'Copy both again from the page "OAuth2" of the developer portal. A reset makes the old secret invalid.';
    return fail('Discord rejects the client id or the client secret.', hint);
  }
  const reason = result.status === null ? result.reason : `status ${result.status}`;
  return warn(`The client id and secret could not be checked at Discord (${reason}).`, 'Check the network.');
}
