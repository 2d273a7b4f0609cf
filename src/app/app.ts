import { systemClock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { adaptLogger } from '@tallyhook/platform/logger';
import { createTemporaryDatabase } from '@tallyhook/platform/temporary-database';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import {
  type AppDependencies,
  type AppOptions,
  checkConfigured,
  isConfig,
  readAppOptions,
} from '../../config/app-options.ts';
import type { Environment } from '../../config/environment.ts';
import { temporaryDatabase } from '../../config/receiver-options.ts';
import type { Config } from '../../config/schema.ts';
import { roles as allRoles } from '../../config/settings.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import type { Store } from '../features/store.ts';
import { openKeyv } from '../lookup/open-keyv.ts';
import { createAppTexts } from '../texts/texts.ts';
import type { App } from './app-interface.ts';
import type { InternalDependencies } from './internal-dependencies.ts';

/**
 * Creates the bot: it receives and pays votes, announces them in Discord, answers commands, and calls your handlers. Opens
 * the database and the cache; connects to nothing else before {@link App.start}.
 *
 * `createApp.fromEnvironment(process.env)` takes the settings from environment variables, and options that complete or
 * replace them. A configuration of `loadConfig` can be passed as well, with what belongs to no setting as the second
 * argument.
 * @category Start here
 * @throws InvalidConfigError `invalid_options`, or `invalid_settings` of an environment, with all issues
 * @throws TallyhookError `database_too_new`, `cannot_open_database`, `in_use` if another program has the SQLite file open, `lookup_key_malformed`, `command_name_taken`,
 *   `command_name_invalid`, `command_needs_gateway`, `text_invalid` or `cache_url_unknown`
 * @example
 * ```ts
 * import { createApp } from 'tallyhook';
 *
 * const app = await createApp({
 *   token: process.env['DISCORD_TOKEN'],
 *   lookup: { baseUrl: 'https://list.example/api/v1' },
 *   listings: [
 *     {
 *       name: 'my-server',
 *       kind: 'server',
 *       id: '613425648685547541',
 *       lookupKey: process.env['LOOKUP_SERVER_KEY'] ?? '',
 *       voteSecrets: [process.env['VOTE_SECRET'] ?? ''],
 *       announceChannelId: '613425648685547545',
 *       rewards: { vote: 10, streak: { every: 7, credits: 50 } },
 *     },
 *   ],
 *   database: 'votes.db',
 *   port: Number(process.env['PORT'] ?? 3000),
 *   handlers: { onVote: ({ userId, credits }) => console.log(`${userId}: +${credits}`) },
 * });
 * console.log(`Webhook address: ${await app.start()}/webhooks/vote`);
 * process.once('SIGTERM', () => void app.stop());
 * ```
 */
export function createApp(options: AppOptions): Promise<App>;
export function createApp(
  config: Config,
  dependencies?: Pick<AppOptions, 'handlers' | 'client' | 'commands' | 'texts' | 'onRecorded' | 'log' | 'clock'>,
): Promise<App>;
export async function createApp(first: AppOptions | Config, dependencies?: AppDependencies): Promise<App> {
  if (dependencies === undefined && !isConfig(first)) return createFromOptions(first, null);
  checkConfigured(first, dependencies ?? {});
  return openApp(first as Config, dependencies ?? {});
}

/**
 * Creates the app with the settings of environment variables, such as `process.env`, each of which can also be
 * `NAME_FILE`. What the options have takes precedence.
 * @example
 * ```ts
 * import { createApp } from 'tallyhook';
 *
 * const app = await createApp.fromEnvironment(process.env, { handlers: { onVote: console.log } });
 * await app.start();
 * ```
 */
createApp.fromEnvironment = (environment: Environment, options: AppOptions = {}): Promise<App> =>
  createFromOptions(options, environment);

/** The database `:memory:` is a temporary file. */
async function createFromOptions(options: AppOptions, environment: Environment | null): Promise<App> {
  const temporary = options?.database === temporaryDatabase ? createTemporaryDatabase() : null;
  try {
    const withPath = temporary === null ? options : { ...options, database: temporary.path };
    const onStopped = temporary === null ? {} : { onStopped: temporary.remove };
    return await openApp(readAppOptions(withPath, environment), { ...options, ...onStopped });
  } catch (error) {
    temporary?.remove();
    throw error;
  }
}

/** The app of a valid configuration. @internal */
export async function openApp(config: Config, dependencies: InternalDependencies): Promise<App> {
  const { clock = systemClock, texts } = dependencies;
  const { log, redact } = adaptLogger(dependencies.log ?? defaultLog(config), config.secrets);
  const languages = createAppTexts(texts);
  const cache = await openKeyv(config.cacheUrl, (error) =>
    log.warn({ reason: messageOf(error) }, 'the cache cannot be opened; it is in memory until the next start'),
  );
  let store: Store | undefined;
  try {
    // Lazily: who imports the package for something small, such as `sign`, does not load the bot.
    const { openStore } = await import('../features/store.ts');
    // First: the thread that writes starts while this one loads the rest, which is most of the program.
    const claim = config.roles.length === allRoles.length ? 'exclusive' : 'shared';
    store = await openStore(config.databaseUrl, clock, { claim, log });
    const [communityIds, { assembleApp }] = await Promise.all([
      prepareStore(store, config, dependencies),
      import('./assembly.ts'),
    ]);
    const { app, loadSettings } = await assembleApp({
      ...dependencies,
      languages,
      config,
      store,
      cache,
      communityIds,
      clock,
      log,
      redact,
    });
    await loadSettings();
    return app;
  } catch (error) {
    await Promise.allSettled([cache.disconnect(), store?.close()]);
    throw error;
  }
}

async function prepareStore(store: Store, config: Config, dependencies: InternalDependencies): Promise<CommunityIds> {
  const { prepareCommunities } = await import('../features/communities/community-ids.ts');
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  await dependencies.prepareStore?.(store, communityIds);
  return communityIds;
}

/** Loads what {@link openApp} and {@link App.start} load, so that Node's compile cache has all of it. @internal */
export async function loadProgram(): Promise<void> {
  await Promise.all([
    import('../lookup/keyv-sqlite.ts'),
    import('../core/store/dialect/sqlite.ts'),
    import('../features/store.ts'),
    import('../features/communities/community-ids.ts'),
    import('./assembly.ts'),
    import('../features/create.ts').then(({ loadFeatures }) => loadFeatures()),
  ]);
}

function defaultLog({ logLevel: level, logFormat, secrets }: Config) {
  return createLog({ level, secrets, format: resolveLogFormat(logFormat) });
}
