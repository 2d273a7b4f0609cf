import { minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { createMetrics, type MetricSources } from '../../src/core/metrics.ts';

const now = Date.UTC(2026, 0, 1);

const defaultSources: MetricSources = {
  waitingTransactions: () => 3,
  effects: async () => ({ waiting: 12, buried: 1 }),
  waitingSince: async () => now - 2 * minute,
  isConnected: () => true,
  invalidRequests: () => 0,
  stopped: () => ({ channels: 2, roles: 1 }),
  pausedGuilds: () => 0,
  keys: async () => new Map([['server', { keyRefused: true, wrongShape: false, budgetLeft: 87 }]]),
  now: () => now,
};

/** The lines of a scrape without comments. */
async function scrape(
  sources: Partial<MetricSources> = {},
  use: (metrics: ReturnType<typeof createMetrics>) => void = () => {},
) {
  const metrics = createMetrics();
  metrics.watch({ ...defaultSources, ...sources });
  const party = { name: 'tallyhook_party_votes', help: 'Votes and goal.', label: 'of' };
  metrics.gauge({ ...party, read: async () => ({ counted: 40, goal: 100 }) });
  use(metrics);
  const text = await metrics.text();
  return { text, lines: text.split('\n').filter((line) => !line.startsWith('#')) };
}

describe('a scrape', () => {
  it('has the waiting effects and their age, the gateway connection, and the status of the keys', async () => {
    const { lines } = await scrape();
    expect(lines).toEqual(
      expect.arrayContaining([
        'tallyhook_transactions_waiting 3',
        'tallyhook_effects{state="waiting"} 12',
        'tallyhook_effects{state="buried"} 1',
        'tallyhook_effects_oldest_waiting_seconds 120',
        'tallyhook_gateway_connected 1',
        'tallyhook_party_votes{of="counted"} 40',
        'tallyhook_party_votes{of="goal"} 100',
        'tallyhook_lookup_budget_left{listing="server"} 87',
        'tallyhook_lookup_key_refused{listing="server"} 1',
        'tallyhook_lookup_answers_changed{listing="server"} 0',
      ]),
    );
  });

  it('is zero if nothing waits, and if the bot is not connected', async () => {
    const { lines } = await scrape({ waitingSince: async () => null, isConnected: () => false });
    expect(lines).toContain('tallyhook_effects_oldest_waiting_seconds 0');
    expect(lines).toContain('tallyhook_gateway_connected 0');
  });

  it('has the other metrics while the database cannot be read', async () => {
    const broken = () => Promise.reject(new Error('disk full'));
    const { lines, text } = await scrape({ effects: broken, waitingSince: broken });
    expect(lines).toContain('tallyhook_gateway_connected 1');
    expect(text).not.toContain('tallyhook_effects{');
    expect(text).toMatch(/^tallyhook_effects_oldest_waiting_seconds NaN$/im);
  });

  it('measures durations in seconds', async () => {
    const { lines } = await scrape({}, (metrics) => {
      metrics.commandSeconds.observe({ command: 'stats' }, 0.3);
      metrics.lookupAge.observe({ listing: 'server', resource: 'profile' }, 240);
    });
    expect(lines).toContain('tallyhook_command_seconds_bucket{le="0.25",command="stats"} 0');
    expect(lines).toContain('tallyhook_command_seconds_bucket{le="0.5",command="stats"} 1');
    expect(lines).toContain('tallyhook_lookup_age_seconds_bucket{le="300",listing="server",resource="profile"} 1');
  });

  it('starts counters that alerts use at zero, so that the first event is an increase', async () => {
    const { lines } = await scrape();
    expect(lines).toContain('tallyhook_deliveries_total{status="503",outcome="refused"} 0');
    expect(lines).toContain('tallyhook_deliveries_total{status="200",outcome="quarantined"} 0');
    expect(lines).toContain('tallyhook_effect_attempts_total{kind="announcement",outcome="bury"} 0');
  });
});
