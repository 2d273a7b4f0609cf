import { type Finding, fail, pass, warn } from '../../../doctor/finding.ts';
import { type HttpProbeResult, probeHttp } from '../../../doctor/http-probe.ts';
import { second } from '../../../platform/durations.ts';
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
