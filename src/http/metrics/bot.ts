import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface BotMetrics {
  /** `outcome` is `answered` or `failed`. What is not offered is not counted. */
  readonly commands: Counter<'command' | 'outcome'>;
  /** Seconds. */
  readonly commandSeconds: Histogram<'command'>;
}

/** What members ask, and whether they can. */
export function botMetrics(registry: Registry, sources: { isConnected(): boolean }): BotMetrics {
  const registers = [registry];
  new Gauge({
    name: 'tallyhook_gateway_connected',
    help: "Whether the bot is connected to Discord's gateway (1) or not (0).",
    registers,
    collect() {
      this.set(Number(sources.isConnected()));
    },
  });
  return {
    commands: new Counter({
      name: 'tallyhook_commands_total',
      help: 'Slash commands and buttons, by how they were answered.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    commandSeconds: new Histogram({
      name: 'tallyhook_command_seconds',
      help: 'From the question of a member to the whole answer.',
      labelNames: ['command'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
      registers,
    }),
  };
}
