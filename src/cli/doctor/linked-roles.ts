import type { BotIdentity } from '../../discord/inspection.ts';
import { type ApplicationSettings, inspectLinkedRoles } from '../../discord/registration/application-settings.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { type Finding, pass, warn } from '../../platform/doctor/finding.ts';
import { evaluateDiscordError, skippedWithoutDiscord } from './discord.ts';

const hint = 'Run `tallyhook register`.';

/** Compares what Discord knows of linked roles with the settings. */
export async function checkLinkedRoles(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  expected: NonNullable<ApplicationSettings['linkedRoles']>,
): Promise<Finding[]> {
  const bot = await identity.catch(() => null);
  if (bot === null) return [skippedWithoutDiscord];
  try {
    const { verificationUrl, isRegistered } = await inspectLinkedRoles(rest, bot.applicationId, expected);
    const findings: Finding[] = [];
    if (verificationUrl === null) {
      findings.push(
        warn('Discord has no page on which members link their account, so it offers no linked roles.', hint),
      );
    } else if (verificationUrl !== expected.verificationUrl) {
      const message = `Members link their account at ${verificationUrl}, not at ${expected.verificationUrl}.`;
      findings.push(warn(message, 'Run `tallyhook register`, or correct PUBLIC_URL.'));
    }
    if (!isRegistered) findings.push(warn('The conditions of linked roles are not those of this version.', hint));
    return findings.length > 0 ? findings : [pass(`Members link their account at ${expected.verificationUrl}.`)];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}
