import { systemClock } from '../../platform/clock.ts';
import { createLog, type LogLevel, logLevels } from '../../platform/log.ts';
import { resolveLogFormat } from '../../terminal/process-terminal.ts';
import { exitCode, type Terminal, UsageError, untilStopped } from '../../terminal/terminal.ts';
import type { DiscordApplication } from '../discord-sign-in/discord-accounts.ts';
import { type RunningService, type ServiceOptions, startService } from '../service.ts';
import { readDiscordApplication } from './discord-options.ts';
import { readSnowflake, type ServiceValues } from './options.ts';

export const logFormats = ['auto', 'json', 'pretty'] as const;

/** `tallyhook service`: runs until the terminal's `stop` signal aborts. */
export async function start(values: ServiceValues, terminal: Terminal): Promise<number> {
  const serviceOptions = readServiceOptions(
    values,
    await readDiscordApplication(values, terminal),
    terminal.environment,
  );
  if (serviceOptions.publicUrl === undefined && isWildcard(values.host)) {
    terminal.printError(
      `The API and the pages contain links, which cannot use the wildcard host "${values.host}". Set --public-url.`,
    );
  }
  const service = await startService(serviceOptions);
  if (!values.production && !['127.0.0.1', '::1', 'localhost'].includes(values.host)) {
    terminal.printError(`Every visitor of ${values.host} may act as any member. For hosting, use --production.`);
  }
  if (values.json) terminal.print(formatStartJson(service));
  else {
    if (service.seeded?.keys) printKeys(service, terminal);
    terminal.print(`The service is at ${service.url}, its API at ${service.baseUrl}`);
  }
  await untilStopped(terminal.stop);
  await service.stop();
  return exitCode.ok;
}

/** Whether a host is the wildcard address in any spelling: 0, 0.0.0.0, ::, or empty. */
function isWildcard(host: string): boolean {
  const url = `http://${host.includes(':') ? `[${host}]` : host}`;
  return host === '' || (URL.canParse(url) && ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(new URL(url).hostname));
}

function readServiceOptions(
  values: ServiceValues,
  discord: DiscordApplication | undefined,
  environment: Terminal['environment'],
): ServiceOptions {
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new UsageError('--port must be 0 to 65535.');
  const level = logLevels.find((name): name is LogLevel => name === values['log-level']);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}.`);
  const format = logFormats.find((name) => name === values['log-format']);
  if (format === undefined) throw new UsageError(`--log-format must be one of ${logFormats.join(', ')}.`);
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) throw new UsageError('--public-url must be a URL.');
  if (values.production && !publicUrl?.startsWith('https://')) {
    throw new UsageError('--production requires --public-url https://…, the URL of the reverse proxy.');
  }
  const trustProxy = Number(values['trust-proxy']);
  if (!/^\d$/.test(values['trust-proxy'])) throw new UsageError('--trust-proxy must be 0 to 9.');
  const { challenge } = values;
  if (challenge !== 'none' && challenge !== 'proof-of-work') {
    throw new UsageError('--challenge must be none or proof-of-work.');
  }
  const redis = values.redis ?? (environment?.['SERVICE_REDIS_URL'] || undefined);
  if (redis !== undefined && !/^rediss?:\/\//.test(redis)) {
    throw new UsageError('--redis must be a URL that begins with redis:// or rediss://.');
  }
  return {
    host: values.host,
    port,
    database: values.database,
    clock: systemClock,
    log: createLog({ level, secrets: discord ? [discord.clientSecret] : [], format: resolveLogFormat(format) }),
    allowLoopbackTargets: !values.production,
    actAsMembers: !values.production,
    operators: (values.operator ?? []).map((id) => readSnowflake(id, '--operator')),
    trustProxy,
    challenge: challenge === 'none' ? null : challenge,
    seed: values.seed,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(discord && { discord }),
    ...(redis && { redis }),
  };
}

/** `seeded` is null without --seed, or if the example community existed. */
function formatStartJson({ url, baseUrl, seeded }: RunningService): string {
  const keysOf = ({ server, bot, keys }: NonNullable<RunningService['seeded']>) =>
    keys && { server: { id: server.id, key: keys.server }, bot: { id: bot.id, key: keys.bot } };
  return JSON.stringify({ url, baseUrl, seeded: (seeded && keysOf(seeded)) ?? null });
}

function printKeys({ seeded }: RunningService, { print }: Terminal): void {
  print('The example community was created. Its API keys, which cannot be shown again:');
  print(`  server ${seeded?.server.id}  ${seeded?.keys?.server}`);
  print(`  bot    ${seeded?.bot.id}  ${seeded?.keys?.bot}`);
}
