import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startLocalDiscord } from 'local-discord';
import type { Benchmark } from '../benchmark.ts';
import { unusedPort } from '../process/listen.ts';
import { atMost, figure, type Table } from '../report.ts';
import { median } from '../samples.ts';
import { type Bot, built, fromSource, idleBot, inClone } from './bots.ts';
import { type StartResult, startOnce } from './cold-start.ts';
import { startSandboxOnce, type Usable } from './sandbox.ts';

const method = `Time from the start of the process until the local Discord has a gateway session and, for tallyhook, \`/readyz\` is
200; then resident memory after two idle seconds, from \`ps\`. The idle bot is discord.js with a login. The goals
apply to tallyhook as the container runs it, a bundle with Node's compile cache, and as \`npm start\` runs it in a
clone, where \`npm ci\` has made the bundle. With an empty compile cache it takes 1.4 to 1.55 times as long as the
idle bot, which has no cache. From source, as \`npm start\` runs changed sources, Node strips the types at each start.
The last row is \`npm start\` in an empty directory until its page is usable.`;

/** Time to ready and memory. */
export const start: Benchmark = {
  name: 'start',
  method,
  against: ['discord.js'],
  async measure(profile, logProgress) {
    const directory = join(profile.directory, 'start');
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const discord = await startLocalDiscord({ rateLimits: false });
    try {
      logProgress('building');
      const ours = await built(join(directory, 'dist'));
      const clone = await inClone();
      const starts = new Map<Bot, StartResult[]>([idleBot, ours, clone, fromSource].map((bot) => [bot, []]));
      for (let round = 1; round <= (profile.quick ? 3 : 7); round += 1) {
        for (const [bot, started] of starts) {
          const where = { ...discord, port: await unusedPort(), directory: mkdtempSync(join(directory, 'bot-')) };
          started.push(await startOnce(bot, discord, where));
          logProgress(`round ${round}: ${bot.title} ready after ${Math.round(started.at(-1)?.ready ?? 0)} ms`);
        }
      }
      const sandboxes: Usable[] = [];
      for (let round = 1; round <= (profile.quick ? 1 : 3); round += 1) {
        sandboxes.push(await startSandboxOnce(directory));
        logProgress(`round ${round}: the page of npm start is there`);
      }
      const ratio = (bot: Bot, pick: (started: StartResult) => number) =>
        median((starts.get(bot) ?? []).map(pick)) / median((starts.get(idleBot) ?? []).map(pick));
      return {
        goals: [
          ...[ours, clone].map((bot) =>
            atMost(
              'time to ready, of a bot that does nothing',
              1.5,
              ratio(bot, ({ ready }) => ready),
              bot.title,
            ),
          ),
          ...[ours, clone].map((bot) =>
            atMost(
              'resident memory, of a bot that does nothing',
              1.3,
              ratio(bot, ({ resident }) => resident),
              bot.title,
            ),
          ),
        ],
        tables: [comparison(starts)],
        notes: [usable(sandboxes)],
      };
    } finally {
      await discord.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function comparison(starts: ReadonlyMap<Bot, readonly StartResult[]>): Table {
  return {
    caption: 'From the start of the process; memory two seconds after it is ready.',
    columns: ['', 'ready, ms', 'resident, MB'],
    rows: [...starts].map(([{ title }, started]) => [
      title,
      figure(median(started.map(({ ready }) => ready))),
      figure(median(started.map(({ resident }) => resident))),
    ]),
  };
}

function usable(sandboxes: readonly Usable[]): string {
  const seconds = (pick: (usable: Usable) => number) => `${figure(median(sandboxes.map(pick)))} s`;
  const shown = sandboxes.map(({ shown }) => shown).filter((each) => each !== null);
  const browser =
    shown.length === 0 ? 'no Chromium is here to show it' : `shown by Chromium after ${figure(median(shown))} s`;
  return `\`npm start\`: the page's first byte after ${seconds(({ page }) => page)}, its bot connected after ${seconds(({ bot }) => bot)}, ${browser}.`;
}
