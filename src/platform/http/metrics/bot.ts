import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '../gauge.ts';

export interface BotMetrics {
  /** `outcome` is `answered` or `failed`. Unknown commands are not counted. */
  readonly commands: Counter<'command' | 'outcome'>;
  /** Seconds. */
  readonly commandSeconds: Histogram<'command'>;
  readonly interactionRequests: Counter<'status'>;
}

export interface BotSources {
  /** Whether the bot is connected to Discord's gateway; null if this process does not use it. */
  isConnected(): boolean | null;
  /** Requests that Discord rejected with 401, 403 or 429 in the last ten minutes. */
  invalidRequests(): number;
  /** Channels and roles that Discord rejects, whose effects wait. */
  stopped(): { readonly channels: number; readonly roles: number };
  /** Guilds whose requests are paused, because Discord rejected too many. */
  pausedGuilds(): number;
}

/** Commands of members. */
export function botMetrics(registry: Registry): BotMetrics {
  const registers = [registry];
  return {
    commands: new Counter({
      name: 'tallyhook_commands_total',
      help: 'Slash commands and buttons handled, by outcome.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    commandSeconds: new Histogram({
      name: 'tallyhook_command_seconds',
      help: 'Time from an interaction to its complete response, in seconds.',
      labelNames: ['command'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
      registers,
    }),
    interactionRequests: new Counter({
      name: 'tallyhook_interaction_requests_total',
      help: 'Requests to POST /interactions, by HTTP status.',
      labelNames: ['status'],
      registers,
    }),
  };
}

export function watchBot(registry: Registry, sources: BotSources): void {
  const connected = {
    name: 'tallyhook_gateway_connected',
    help: "Whether the bot is connected to Discord's gateway (1) or not (0).",
  };
  addGauge(registry, connected, () => {
    const isConnected = sources.isConnected();
    return isConnected === null ? null : Number(isConnected);
  });
  const invalid = {
    name: 'tallyhook_discord_invalid_requests',
    help: 'Requests that Discord rejected (401, 403, 429) in the last ten minutes, of all processes.',
  };
  addGauge(registry, invalid, () => sources.invalidRequests());
  const stopped = {
    name: 'tallyhook_discord_stopped',
    help: 'Channels and roles that Discord rejects. Their effects wait; one request a minute tries them again.',
    label: 'kind',
  };
  addGauge(registry, stopped, () => ({ channel: sources.stopped().channels, role: sources.stopped().roles }));
  const paused = {
    name: 'tallyhook_discord_paused_guilds',
    help: 'Servers for which nothing is sent at the moment, because Discord rejected too many of their requests.',
  };
  addGauge(registry, paused, () => sources.pausedGuilds());
}
