import { commandsFor } from '../../../commands/index.ts';
import { interactionsPath } from '../../discord/interactions/endpoint.ts';
import { fetchEndpointSettings, findEndpointProblem } from '../../discord/interactions/endpoint-settings.ts';
import { type ApplicationSettings, inspectLinkedRoles } from '../../discord/registration/application-settings.ts';
import { conflictHint } from '../../discord/registration/registrar.ts';
import { inspectRegistration } from '../../discord/registration/registration.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { configuredOffer } from '../../features/communities/command-context.ts';
import { publishedLinkedRoles } from '../../features/linked-roles/create.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { orDiscordError, skippedWithoutDiscord } from './discord.ts';
import type { InstallationCheck } from './installation.ts';

/** Whether the slash commands are registered as this version defines them for the configured API keys. */
export const slashCommandsCheck: InstallationCheck = {
  name: 'commands',
  async run({ config, rest, bot, store }) {
    const identity = await bot();
    if (identity === null) return [skippedWithoutDiscord];
    const { applicationId } = identity;
    const { guildId } = config.discord;
    const scope = formatScope(guildId);
    // Without the database, our commands are recognised by their description.
    const context = await configuredOffer(config, store?.settings.hasValue ?? (async () => false));
    const stored = store === null ? [] : await store.commandRegistry.list(applicationId);
    const commands = commandsFor(config);
    const registry = { list: async () => stored };
    return orDiscordError(async () => {
      const { isCurrent, conflicts, elsewhere } = await inspectRegistration({
        rest,
        applicationId,
        guildId,
        commands,
        context,
        registry,
      });
      return [
        isCurrent
          ? pass(`The slash commands are registered ${scope}.`)
          : fail(
              `The slash commands are not registered ${scope}, or they are outdated.`,
              'Run `tallyhook register`. `tallyhook start` also registers them, once it is connected to Discord.',
            ),
        ...conflicts.map(({ name, id }) => warn(`Another program has registered /${name} (${id}).`, conflictHint)),
        // If the registration is outdated, the hint above removes these as well.
        ...(isCurrent ? elsewhere : []).map(({ name, id, guildId: guild }) =>
          warn(
            `/${name} (${id}) is also registered ${formatScope(guild)}.`,
            'Run `tallyhook register` to delete it there.',
          ),
        ),
      ];
    });
  },
};

function formatScope(guildId: string | null): string {
  return guildId === null ? 'globally' : `in guild ${guildId}`;
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
