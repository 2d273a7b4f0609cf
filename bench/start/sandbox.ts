import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { unusedPort } from '../process/listen.ts';
import { waitUntilAnswering } from './cold-start.ts';

/** Seconds after `npm start`. */
export interface Usable {
  /** The page's first byte. */
  readonly page: number;
  /** Its event stream reports that the bot is connected. */
  readonly bot: number;
  /** Rendered by a browser; null if Chromium is not installed. */
  readonly shown: number | null;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const browserPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Startup as seen after cloning the repository and `npm ci`. */
export async function startSandboxOnce(directory: string): Promise<Usable> {
  const port = await unusedPort();
  const browser = existsSync(browserPath)
    ? await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] })
    : null;
  const page = await browser?.newPage();
  const data = mkdtempSync(join(directory, 'sandbox-'));
  const { PATH = '', HOME = '' } = process.env;
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1_000;
  const child = spawn('npm', ['start', '--silent', '--', '--no-open', '--port', String(port), '--data', data], {
    cwd: root,
    env: { PATH, HOME, CI: 'true' },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  try {
    const url = `http://127.0.0.1:${port}/`;
    await waitUntilAnswering(url);
    const first = since();
    await botConnected(`${url}page/events`);
    const bot = since();
    await page?.goto(url);
    await page?.getByText('Bot online').waitFor();
    return { page: first, bot, shown: page === undefined ? null : since() };
  } finally {
    // npm starts several processes and forwards a signal to only one.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await browser?.close();
  }
}

async function botConnected(events: string): Promise<void> {
  const { body } = await fetch(events);
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (/"connected":true/.test(text)) return;
  }
  throw new Error('The page did not report a connected bot.');
}
