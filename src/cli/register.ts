import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { registerConfigured } from '../app/register-configured.ts';
import { describeDiscordError, tokenHint } from '../discord/discord-errors.ts';
import { interactionsPath, setEndpoint } from '../discord/interactions/endpoint.ts';
import { updateApplication } from '../discord/registration/application-settings.ts';
import { conflictHint, inaccessibleHint } from '../discord/registration/registrar.ts';
import {
  type EarlierCommands,
  formatCommand,
  formatScope,
  type RegistrationReport,
  unclearHint,
} from '../discord/registration/registration.ts';
import { createDiscordRest, type DiscordRest } from '../discord/rest.ts';
import { publicationsOf } from '../features/create.ts';
import type { Store } from '../features/store.ts';
import { withStore } from './open-database.ts';

/** `tallyhook register`. @throws TallyhookError `not_registered`, and what {@link registerConfigured} throws */
export async function register(
  options: {
    readonly json?: boolean;
    readonly http?: boolean;
    readonly gateway?: boolean;
    readonly url?: string;
    readonly exclude?: string;
    readonly delete?: string;
    readonly userInstall?: boolean;
  },
  terminal: Terminal,
): Promise<number> {
  const config = loadConfig(process.env);
  requireToken(config);
  const endpoint = endpointOf(options, config.publicUrl);
  const { guildId } = config.discord;
  const exclude = listOf(options.exclude).map((name) => name.replace(/^\//, ''));
  const adopted = listOf(options.delete);
  const rest = createDiscordRest(config.discord);
  const registerIn = async (store: Store): Promise<number> => {
    const caller = 'tallyhook register';
    const report = await registerConfigured(config, { caller, commands: { exclude }, rest, store, adopted })
      .then(async ({ applicationId, report: registered, earlier }) => {
        const published = (await publicationsOf(config)).map(({ settings }) => settings);
        const settings = Object.assign({ userInstall: options.userInstall === true }, ...published);
        return { ...registered, earlier, application: await updateApplication(rest, applicationId, settings) };
      })
      .catch((cause: unknown) => {
        if (cause instanceof TallyhookError) throw cause;
        const isTokenRejected = describeDiscordError(cause).kind === 'token';
        const reason = isTokenRejected ? 'Discord rejects the bot token (401)' : messageOf(cause);
        throw new TallyhookError('not_registered', `The commands could not be registered: ${reason}.`, {
          cause,
          hint: isTokenRejected
            ? tokenHint
            : 'Check the connection to Discord, DISCORD_TOKEN, and that the bot was invited with the scope applications.commands.',
        });
      });
    if (endpoint !== undefined) await changeEndpoint(rest, endpoint);
    if (options.json) terminal.print(JSON.stringify({ outcome: outcomeOf(report), guildId, ...report }));
    else {
      printReport(report, guildId, terminal);
      if (endpoint !== undefined)
        terminal.print(`Discord sends commands ${endpoint === null ? 'through the gateway' : `to ${endpoint}`}.`);
    }
    const unknown = adopted.filter((id) => !report.earlier.ours.some((command) => command.id === id));
    for (const id of unknown)
      terminal.printError(`--delete: no command elsewhere has the id ${id} and the name of one of ours.`);
    return unknown.length > 0 ? exitCode.runtimeError : exitCode.ok;
  };
  return withStore(config.databaseUrl, registerIn);
}

const listOf = (value = '') => value.split(',').flatMap((each) => each.trim() || []);

/** @throws TallyhookError `no_token` */
function requireToken({ discord }: Config): void {
  if (discord.token !== '') return;
  throw new TallyhookError('no_token', 'This needs a bot token, and DISCORD_TOKEN is not set.', {
    hint: 'Run it with the settings of a process that announces or answers.',
  });
}

/** Where commands are to be sent; null for the gateway, undefined to leave it as it is. @throws UsageError */
function endpointOf(
  { http, gateway, url }: { http?: boolean; gateway?: boolean; url?: string },
  publicUrl: string | null,
): string | null | undefined {
  if (http && gateway) throw new UsageError('Use either --http or --gateway.');
  if (url !== undefined && !http) throw new UsageError('--url needs --http.');
  if (gateway) return null;
  if (!http) return undefined;
  if (url !== undefined && URL.canParse(url)) return url;
  if (url !== undefined) throw new UsageError(`--url is not a URL: ${url}`);
  if (publicUrl !== null) return `${publicUrl}${interactionsPath}`;
  throw new UsageError('--http needs the address of the endpoint: set PUBLIC_URL, or use --url.');
}

/** @throws TallyhookError `endpoint_rejected` */
async function changeEndpoint(rest: DiscordRest, url: string | null): Promise<void> {
  try {
    await setEndpoint(rest, url);
  } catch (cause) {
    throw new TallyhookError('endpoint_rejected', `Discord does not accept the endpoint: ${messageOf(cause)}.`, {
      cause,
      hint: 'Discord tests it at once: tallyhook must run with the role answer and DISCORD_PUBLIC_KEY, reachable at this address over https.',
    });
  }
}

type Report = RegistrationReport & { readonly earlier: EarlierCommands; readonly application: readonly string[] };

function outcomeOf({ created, updated, deleted, application }: Report): 'registered' | 'unchanged' {
  return created.length + updated.length + deleted.length + application.length === 0 ? 'unchanged' : 'registered';
}

function printReport(report: Report, guildId: string | null, terminal: Terminal): void {
  const { created, updated, unchanged, deleted, conflicts, inaccessible, earlier } = report;
  const scope = formatScope(guildId);
  const isUnchanged = outcomeOf(report) === 'unchanged';
  terminal.print(isUnchanged ? `The commands are already registered ${scope}.` : `Registered ${scope}.`);
  const isLeft = (name: string) => earlier.ours.some((command) => command.name === name);
  const deletedHere = deleted.filter((name) => !isLeft(name));
  for (const [change, names] of Object.entries({ created, updated, unchanged, deleted: deletedHere })) {
    if (names.length > 0) terminal.print(`  ${change}: ${names.map(formatCommand).join(', ')}`);
  }
  for (const [place, commands] of Map.groupBy(earlier.ours, (command) => command.guildId)) {
    const names = commands.map(({ name }) => formatCommand(name)).join(', ');
    terminal.print(`  left ${formatScope(place)} by an earlier tallyhook, and now deleted: ${names}`);
  }
  if (report.application.length > 0) terminal.print(`  application: ${report.application.join(', ')}`);
  for (const { name, id } of conflicts) {
    terminal.printError(
      `${formatCommand(name)} (${id}) belongs to another program, so ours was not registered. ${conflictHint}`,
    );
  }
  for (const { name, id, guildId: guild } of inaccessible) {
    terminal.printError(`${formatCommand(name)} (${id}) could not be deleted in guild ${guild}. ${inaccessibleHint}`);
  }
  for (const { name, id, guildId: guild } of earlier.unclear) {
    terminal.printError(`${formatCommand(name)} (${id}) is also registered ${formatScope(guild)}. ${unclearHint}`);
  }
}
