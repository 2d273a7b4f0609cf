import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/schema.ts';
import { servicesFor } from '../cli/register.ts';
import type { Identity } from '../discord/inspection.ts';
import { areRegistered } from '../discord/registration.ts';
import type { DiscordRest } from '../discord/rest.ts';
import { judgeTrouble, notAsked } from './discord.ts';
import { type Finding, fault, well } from './finding.ts';

/** Does Discord know the commands as this version with these keys offers them? */
export async function checkCommands(
  rest: DiscordRest,
  identity: Promise<Identity>,
  config: Config,
): Promise<Finding[]> {
  const { guildId } = config.discord;
  const known = await identity.catch(() => null);
  if (known === null) return [notAsked];
  const { applicationId } = known;
  const where = guildId === null ? 'everywhere' : `on guild ${guildId}`;
  const services = servicesFor(config);
  try {
    const areKnown = await areRegistered({ rest, applicationId, guildId, commands, services });
    if (areKnown) return [well(`The slash commands are registered ${where}.`)];
  } catch (error) {
    return [judgeTrouble(error)];
  }
  return [
    fault(
      `The slash commands are not registered ${where}, or not as this version offers them.`,
      'Run `tallyhook register`; `tallyhook start` does the same once Discord is reached.',
    ),
  ];
}
