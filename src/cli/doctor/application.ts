import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { formatCount, pluralize } from '@tallyhook/platform/durations';
import { commandsFor } from '../../../commands/index.ts';
import type { Config } from '../../../config/schema.ts';
import type { ProgramNote } from '../../core/store/installation.ts';
import { type CircuitStore, guildsToPause, recentRejections } from '../../discord/circuits.ts';
import { fetchEndpointSettings, findEndpointProblem, interactionsPath } from '../../discord/interactions/endpoint.ts';
import {
  type InvalidRequestStore,
  maxInvalidRequests,
  recentInvalidRequests,
  warningInvalidRequests,
} from '../../discord/rate-limit.ts';
import type { RegisteredCommand } from '../../discord/registration/command-shape.ts';
import { conflictHint } from '../../discord/registration/registrar.ts';
import {
  type CommandScope,
  findEarlierCommands,
  formatCommand,
  formatScope,
  inspectRegistration,
  maxGuildsOnRequest,
  scopesToSearch,
  unclearHint,
} from '../../discord/registration/registration.ts';
import { configuredOffer } from '../../features/communities/command-context.ts';
import type { Publication } from '../../features/parts.ts';
import { botCheck } from './discord.ts';
import type { InstallationCheck } from './installation.ts';

/** Checks that the slash commands are registered as this version defines them, and only there. */
export const slashCommandsCheck = botCheck('commands', async (installation, { applicationId }) => {
  const { config, effective, program, rest, store, status } = installation;
  const { guildId } = config.discord;
  // Without the database, our commands are recognised by their description.
  const { listings } = effective;
  const context = await configuredOffer({ ...config, listings }, store?.settings.hasValue ?? (async () => false));
  const stored = store === null ? [] : await store.commandRegistry.list(applicationId);
  const registry = { list: async () => stored };
  const registration = { rest, applicationId, guildId, commands: commandsFor(config), context, registry };
  const scopes = await scopesToSearch(rest, effective.guildIds, maxGuildsOnRequest);
  const [inspected, earlier] = await Promise.all([
    inspectRegistration(registration),
    findEarlierCommands(registration, scopes),
  ]);
  const elsewhere = [...inspected.elsewhere, ...earlier.ours];
  return [
    evaluateRegistration(hasCode(program, config) ? { isCurrent: inspected.isAsStored } : inspected, {
      scope: formatScope(guildId),
      isNew: status.state === 'absent',
    }),
    ...inspected.conflicts.map(({ name, id }) =>
      warn(`Another program has registered ${formatCommand(name)} (${id}).`, conflictHint),
    ),
    ...[...Map.groupBy(elsewhere, (command) => command.guildId)].map(([scope, commands]) =>
      evaluateElsewhere(scope, commands),
    ),
    ...earlier.unclear.map(({ name, id, guildId: scope }) =>
      warn(
        `${formatCommand(name)} (${id}) is also registered ${formatScope(scope)}, by tallyhook or another program.`,
        unclearHint,
      ),
    ),
  ];
});

/**
 * Returns whether the program has listings or commands in its code. What it offers is then known to itself alone, and what it
 * has registered is compared instead.
 */
function hasCode({ listings, commands }: ProgramNote, config: Config): boolean {
  const expected = commandsFor(config).map(({ name }) => name);
  const isSame =
    commands === null || (commands.length === expected.length && commands.every((name) => expected.includes(name)));
  return listings.length > 0 || !isSame;
}

/** @param options.isNew whether tallyhook was never started with this database */
function evaluateRegistration(
  { isCurrent }: { readonly isCurrent: boolean },
  { scope, isNew }: { readonly scope: string; readonly isNew: boolean },
): Finding {
  if (isCurrent) return pass(`The slash commands are registered ${scope}.`);
  if (isNew) return pass(`The first start registers the slash commands ${scope}.`);
  return fail(
    `The slash commands are not registered ${scope}, or they are outdated.`,
    'Run `tallyhook register`. `tallyhook start` also registers them, once it is connected to Discord.',
  );
}

function evaluateElsewhere(scope: CommandScope, commands: readonly RegisteredCommand[]): Finding {
  const names = commands.map(({ name }) => formatCommand(name)).join(', ');
  const verb = pluralize(commands.length, 'is', 'are');
  return warn(
    `${names} ${verb} also registered ${formatScope(scope)}, by an earlier start: members see them twice.`,
    'Run `tallyhook register`, or restart tallyhook, to delete them there.',
  );
}

/** Checks that Discord sends commands where a process with these settings receives them. */
export const endpointCheck = botCheck('endpoint', async ({ config: { discord, publicUrl }, rest }) => {
  const settings = await fetchEndpointSettings(rest);
  const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
  const found = findEndpointProblem(settings, { publicKey: discord.publicKey, url });
  if (found !== null) return [{ level: found.level, message: found.problem, hint: found.hint }];
  return [pass(`Discord sends commands ${settings.url === null ? 'through the gateway' : `to ${settings.url}`}.`)];
});

/** Checks that Discord knows what a feature publishes. */
export const publicationCheck = ({ name, check }: Publication): InstallationCheck =>
  botCheck(name, ({ rest }, { applicationId }) => check(rest, applicationId));

/** Channels and roles that are listed. */
const maxShown = 10;
const stopHint =
  'Its effects wait. They are tried again when the permissions change, and once a minute; after a day they are buried with this reason.';
const pauseHint = 'It is sent nothing until there are fewer. Other servers are not affected.';
const blockHint =
  'Discord blocks an address after 10,000 in ten minutes. Fix what the other checks and the log report: a wrong token, missing permissions, or other bots with this token.';

export const rejectedRequestsCheck: InstallationCheck = {
  name: 'requests',
  run: ({ store, clock }) => (store === null ? [] : checkRejectedRequests(store, clock.now())),
};

/** Evaluates how many requests Discord has rejected, of all processes. @param now ms since the epoch */
export async function checkRejectedRequests(
  { invalidRequests, circuits }: { readonly invalidRequests: InvalidRequestStore; readonly circuits: CircuitStore },
  now: number,
): Promise<Finding[]> {
  const count = await recentInvalidRequests(invalidRequests, now);
  return [evaluateCount(count), ...(await findStops(circuits, count, now))];
}

function evaluateCount(count: number): Finding {
  const message = `Discord has rejected ${formatCount(count, 'request')} in the last ten minutes`;
  if (count >= maxInvalidRequests)
    return fail(`${message}; only interactions are answered until there are fewer.`, blockHint);
  if (count >= warningInvalidRequests) return warn(`${message}.`, blockHint);
  return pass(`${message}.`);
}

/** The guilds that are paused, and what Discord rejects, the newest first. */
async function findStops(circuits: CircuitStore, total: number, now: number): Promise<Finding[]> {
  const counts = await recentRejections(circuits, now);
  const paused = guildsToPause(counts, total);
  const stopped = counts.filter(({ guildId }) => paused.has(guildId));
  const open = (await circuits.all()).toSorted((a, b) => b.openedAt - a.openedAt);
  const more = open.length - maxShown;
  const others = formatCount(more, 'other channel or role', 'other channels or roles');
  return [
    ...stopped.map(({ guildId, count }) => {
      const rejected = `${formatCount(count, 'request')} of it in the last ten minutes`;
      return warn(`Server ${guildId} is paused: Discord rejected ${rejected}.`, pauseHint);
    }),
    ...open.slice(0, maxShown).map(({ guildId, openedAt, reason }) => {
      const server = guildId === null ? '' : ` in server ${guildId}`;
      return warn(`Discord rejects requests${server} since ${new Date(openedAt).toISOString()}: ${reason}`, stopHint);
    }),
    ...(more > 0 ? [warn(`Discord rejects ${others}, too.`, stopHint)] : []),
  ];
}
