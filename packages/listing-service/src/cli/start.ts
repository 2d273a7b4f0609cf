import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { isWildcardHost } from '@tallyhook/platform/host-address';
import { createLog } from '@tallyhook/platform/log';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import { exitCode, type Terminal, UsageError, untilStopped } from '@tallyhook/platform/terminal/terminal';
import { type RunningService, type ServiceOptions, startService } from '../service.ts';
import { readFace } from './face.ts';
import { readDatabaseAddress, readDiscordApplication, readSnowflake, type StartOptions } from './options.ts';

const maxPort = 65_535;
const maxDrainSeconds = 60;

/** `listing-service`: runs until the terminal's `stop` signal aborts. */
export async function start(values: StartOptions, terminal: Terminal): Promise<number> {
  const serviceOptions = await readServiceOptions(values, terminal);
  if (serviceOptions.publicUrl === undefined && isWildcardHost(values.host)) {
    terminal.printError(
      `The API and the pages contain links, which cannot use the wildcard host "${values.host}". Set --public-url.`,
    );
  }
  const removeErrorHandlers = installProcessErrorHandlers(serviceOptions.log);
  try {
    // A database that does not respond must not delay the stop.
    const service = await Promise.race([startService(serviceOptions), untilStopped(terminal.stop)]);
    if (service === undefined) return exitCode.ok;
    if (!values.production && !['127.0.0.1', '::1', 'localhost'].includes(values.host)) {
      terminal.printError(`Every visitor of ${values.host} may act as any member. For hosting, use --production.`);
    }
    if (values.json) terminal.print(formatStartJson(service));
    else printAddresses(service, terminal);
    await untilStopped(terminal.stop);
    await service.stop();
    return exitCode.ok;
  } finally {
    removeErrorHandlers();
  }
}

function printAddresses(service: RunningService, terminal: Terminal): void {
  if (service.seeded?.keys) printKeys(service, terminal);
  terminal.print(`The service is at ${service.url}, its API at ${service.baseUrl}`);
  if (service.operationsUrl !== null) terminal.print(`Metrics and readiness are at ${service.operationsUrl}`);
}

async function readServiceOptions(
  values: StartOptions,
  terminal: Terminal,
): Promise<ServiceOptions & { readonly log: ReturnType<typeof createLog> }> {
  const database = await readDatabaseAddress(values, terminal);
  const discord = await readDiscordApplication(values, terminal);
  const redis = values.redis ?? (terminal.environment?.['SERVICE_REDIS_URL'] || undefined);
  const face = await readFace(values, terminal);
  const { publicUrl, operationsPort, production = false, challenge } = values;
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) throw new UsageError('--public-url must be a URL.');
  if (production && !publicUrl?.startsWith('https://')) {
    throw new UsageError('--production requires --public-url https://…, the URL of the reverse proxy.');
  }
  const trustProxy = Number(values.trustProxy);
  if (!/^\d$/.test(values.trustProxy)) throw new UsageError('--trust-proxy must be 0 to 9.');
  if (redis !== undefined && !/^rediss?:\/\//.test(redis)) {
    throw new UsageError('--redis must be a URL that begins with redis:// or rediss://.');
  }
  return {
    host: values.host,
    port: readNumber(values.port, '--port', maxPort),
    operationsHost: values.operationsHost,
    drainMs: readNumber(values.drainSeconds, '--drain-seconds', maxDrainSeconds) * second,
    database,
    clock: systemClock,
    log: createLog({
      level: values.logLevel,
      secrets: discord ? [discord.clientSecret] : [],
      format: resolveLogFormat(values.logFormat),
    }),
    allowLoopbackTargets: !production,
    actAsMembers: !production,
    operators: (values.operator ?? []).map((id) => readSnowflake(id, '--operator')),
    trustProxy,
    challenge: challenge === 'none' ? null : challenge,
    seed: values.seed ?? false,
    face,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(operationsPort === undefined
      ? {}
      : { operationsPort: readNumber(operationsPort, '--operations-port', maxPort) }),
    ...(discord && { discord }),
    ...(redis && { redis }),
  };
}

/** @throws UsageError */
function readNumber(value: string, option: string, max: number): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= max) return Number(value);
  throw new UsageError(`${option} must be 0 to ${max}.`);
}

/** `seeded` is null without --seed, or if the example community existed. */
function formatStartJson({ url, baseUrl, operationsUrl, seeded }: RunningService): string {
  const keysOf = ({ server, bot, keys }: NonNullable<RunningService['seeded']>) =>
    keys && { server: { id: server.id, key: keys.server }, bot: { id: bot.id, key: keys.bot } };
  return JSON.stringify({ url, baseUrl, operationsUrl, seeded: (seeded && keysOf(seeded)) ?? null });
}

function printKeys({ seeded }: RunningService, { print }: Terminal): void {
  print('The example community was created. Its API keys, which cannot be shown again:');
  print(`  server ${seeded?.server.id}  ${seeded?.keys?.server}`);
  print(`  bot    ${seeded?.bot.id}  ${seeded?.keys?.bot}`);
}
