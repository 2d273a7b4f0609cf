import { minute } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { fetchOwnerApi, settings, unreachableDiscord } from '../support/settings.ts';
import { postVote } from '../support/start-app.ts';
import { sourceLauncher, startProgram } from '../support/start-program.ts';
import { serve } from '../support/start-receiver.ts';

const waitOptions = { timeout: 60_000, interval: 25 };

/** Environment that sets the program's clock ten minutes ahead. */
const clockAheadEnvironment = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${10 * minute};`)}`,
};

describe('the program', { timeout: 180_000 }, () => {
  it('starts from its sources', async () => {
    const { ended, output } = startProgram(['--version'], {}, tempDir(), [], sourceLauncher);
    expect(await ended).toBe(0);
    expect(output()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('exits with 1 and a message if its port is in use', async () => {
    const { port } = new URL(await serve((_request, response) => response.end()));
    const { code, stderr } = await runCommand(['start'], {
      ...settings(unreachableDiscord),
      PORT: port,
      LOG_LEVEL: 'fatal',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('Another program uses this port');
  });

  it('becomes ready after Discord recovers, and sends pending announcements', async () => {
    const discord = await startLocalDiscord();
    onTestFinished(() => discord.stop());
    discord.faults.outage(true);
    const running = startProgram(['start'], settings(discord), tempDir());
    const url = await running.url();
    await postVote(url, '1');
    await vi.waitFor(async () => {
      const { effects } = await fetchOwnerApi<{ effects: { attempts: number }[] }>(url, '/effects?state=waiting');
      expect(effects[0]?.attempts).toBeGreaterThan(0);
    }, waitOptions);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(discord.messages(discord.channels.announcements)).toEqual([]);

    discord.faults.outage(false);
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), waitOptions);
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
  });

  it('does not repeat an announcement that Discord accepted before a kill, even without a valid nonce', async () => {
    const clock = createOffsetClock();
    const discord = await startLocalDiscord({ clock, stopwatch: clock });
    onTestFinished(() => discord.stop());
    const announcements = () => discord.messages(discord.channels.announcements);
    const directory = tempDir();
    const environment = settings(discord);
    const running = startProgram(['start'], environment, directory);
    const url = await running.url();
    discord.faults.loseAnswers(100, /POST .*messages/);
    await postVote(url, '1');
    await vi.waitFor(() => expect(announcements()).toHaveLength(1), waitOptions);
    running.process.kill('SIGKILL');
    await running.ended;

    discord.faults.clear();
    clock.advance(10 * minute);
    const restartedUrl = await startProgram(['start'], { ...environment, ...clockAheadEnvironment }, directory).url();
    await vi.waitFor(
      async () =>
        expect(await fetchOwnerApi(restartedUrl, '/effects?state=done')).toMatchObject({
          effects: [{ state: 'done' }],
        }),
      waitOptions,
    );
    expect(announcements()).toHaveLength(1);
    await postVote(restartedUrl, '2');
    await vi.waitFor(() => expect(announcements()).toHaveLength(2), waitOptions);
  });
});
