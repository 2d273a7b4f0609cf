import { describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { fetchGuildName } from '../../discord/inspection.ts';
import { interactionsPath } from '../../discord/interactions/endpoint.ts';
import { fetchEndpointSettings, findEndpointProblem } from '../../discord/interactions/endpoint-settings.ts';
import { type ApplicationSettings, inspectLinkedRoles } from '../../discord/registration/application-settings.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { publishedLinkedRoles } from '../../features/linked-roles/create.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import type { InstallationCheck } from './installation.ts';

/** Finding of the other Discord checks if {@link discordCheck} fails. */
export const skippedWithoutDiscord = warn('Skipped, because the discord check failed.');

/** The bot token, and whether the bot is in the guild of DISCORD_GUILD_ID. */
export const discordCheck: InstallationCheck = {
  name: 'discord',
  run: ({ config, rest, identity }) =>
    orDiscordError(async () => {
      const { name, applicationId } = await identity();
      const tokenFinding = pass(`The bot token is valid, for the application "${name}" (${applicationId}).`);
      const { guildId } = config.discord;
      if (guildId === null) return [tokenFinding];
      return [tokenFinding, evaluateGuild(guildId, await fetchGuildName(rest, guildId))];
    }),
};

/** @param name null if the bot is not in the guild */
function evaluateGuild(guildId: string, name: string | null): Finding {
  if (name !== null) return pass(`The bot is in the guild "${name}" (${guildId}).`);
  return fail(
    `The bot is not in the guild of DISCORD_GUILD_ID (${guildId}).`,
    'Invite it there (OAuth2 → URL Generator, scopes bot and applications.commands), or correct the id.',
  );
}

/** Whether Discord sends commands where a process with these settings receives them. */
export const endpointCheck: InstallationCheck = {
  name: 'endpoint',
  async run({ config: { discord, publicUrl }, rest, bot }) {
    if ((await bot()) === null) return [skippedWithoutDiscord];
    return orDiscordError(async () => {
      const settings = await fetchEndpointSettings(rest);
      const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
      const found = findEndpointProblem(settings, { publicKey: discord.publicKey, url });
      if (found !== null) return [{ level: found.level, message: found.problem, hint: found.hint }];
      return [pass(`Discord sends commands ${settings.url === null ? 'through the gateway' : `to ${settings.url}`}.`)];
    });
  },
};

/** Whether Discord knows of linked roles what the settings say. */
export const linkedRolesCheck: InstallationCheck = {
  name: 'linked-roles',
  async run({ config, rest, bot }) {
    const expected = publishedLinkedRoles(config);
    if (expected === undefined) return [];
    const identity = await bot();
    if (identity === null) return [skippedWithoutDiscord];
    return orDiscordError(() => checkLinkedRoles(rest, identity.applicationId, expected));
  },
};

async function checkLinkedRoles(
  rest: DiscordRest,
  applicationId: string,
  expected: NonNullable<ApplicationSettings['linkedRoles']>,
): Promise<Finding[]> {
  const hint = 'Run `tallyhook register`.';
  const { verificationUrl, isRegistered } = await inspectLinkedRoles(rest, applicationId, expected);
  const findings: Finding[] = [];
  if (verificationUrl === null) {
    findings.push(warn('Discord has no page on which members link their account, so it offers no linked roles.', hint));
  } else if (verificationUrl !== expected.verificationUrl) {
    const message = `Members link their account at ${verificationUrl}, not at ${expected.verificationUrl}.`;
    findings.push(warn(message, 'Run `tallyhook register`, or correct PUBLIC_URL.'));
  }
  if (!isRegistered) findings.push(warn('The conditions of linked roles are not those of this version.', hint));
  return findings.length > 0 ? findings : [pass(`Members link their account at ${expected.verificationUrl}.`)];
}

/** What `check` finds, or the error of {@link DiscordRest} with which it rejects. */
export async function orDiscordError(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

/** Evaluates an error of {@link DiscordRest}. */
export function evaluateDiscordError(error: unknown): Finding {
  const { kind, reason } = describeDiscordError(error);
  switch (kind) {
    case 'token':
      return fail('Discord rejects the bot token (401).', tokenHint);
    case 'refused':
      return fail(
        `Discord rejects the request (${reason}).`,
        'Check DISCORD_API_URL, and that no proxy responds in its place.',
      );
    case 'unreachable':
      return fail(
        `Discord cannot be reached: ${reason}.`,
        'Check the network and https://discordstatus.com. Meanwhile votes are credited, and announcements are queued.',
      );
  }
}
