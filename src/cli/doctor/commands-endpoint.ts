import type { Config } from '../../../config/schema.ts';
import type { BotIdentity } from '../../discord/inspection.ts';
import { interactionsPath } from '../../discord/interactions/endpoint.ts';
import { fetchEndpointSettings, findEndpointProblem } from '../../discord/interactions/endpoint-settings.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { type Finding, pass } from '../../platform/doctor/finding.ts';
import { evaluateDiscordError, skippedWithoutDiscord } from './discord.ts';

/** Checks that Discord sends commands where a process with these settings receives them. */
export async function checkCommandsEndpoint(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  { discord, publicUrl }: Pick<Config, 'discord' | 'publicUrl'>,
): Promise<Finding[]> {
  if ((await identity.catch(() => null)) === null) return [skippedWithoutDiscord];
  try {
    const settings = await fetchEndpointSettings(rest);
    const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
    const found = findEndpointProblem(settings, { publicKey: discord.publicKey, url });
    if (found !== null) return [{ level: found.level, message: found.problem, hint: found.hint }];
    return [pass(`Discord sends commands ${settings.url === null ? 'through the gateway' : `to ${settings.url}`}.`)];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}
