import type { Log } from '../platform/log.ts';
import type { RegistrationReport } from './registration.ts';

/** What to do about a command of another program that has a name of ours. */
export const conflictHint =
  'Another program that uses the same bot token registered it. Rename or delete it there, or give tallyhook an application of its own; then start again.';

/** What to do about a command of ours in a guild that the bot can no longer access. */
export const inaccessibleHint =
  'The bot is no longer in that guild. To delete the command, invite the bot there and start again.';

/** Logs what a registration did, and a warning for everything that it left alone. */
export function logRegistration(report: RegistrationReport, guildId: string | null, log: Log): void {
  const { conflicts, inaccessible, ...done } = report;
  log.info({ scope: scopeOf(guildId), ...done }, 'slash commands registered');
  for (const { name, id } of conflicts) {
    log.warn(
      { command: name, id, scope: scopeOf(guildId), hint: conflictHint },
      'a slash command of another program has this name; it was left alone, and ours is not offered',
    );
  }
  for (const { name, id, guildId: guild } of inaccessible) {
    log.warn(
      { command: name, id, scope: scopeOf(guild), hint: inaccessibleHint },
      'a slash command that was registered earlier could not be deleted',
    );
  }
}

function scopeOf(guildId: string | null): string {
  return guildId ?? 'global';
}
