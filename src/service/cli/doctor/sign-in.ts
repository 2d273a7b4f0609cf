import { type Finding, fail, pass, warn } from '../../../platform/doctor/check.ts';
import { type HttpProbeResult, probeHttp } from '../../../platform/doctor/http-probe.ts';
import { formatCount, second } from '../../../platform/durations.ts';
import { callbackPath, type DiscordApplication } from '../../discord-sign-in/discord-accounts.ts';

const probeTimeoutMs = 6 * second;

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
