import { type Browser, chromium } from 'playwright-core';

/** Starts a headless Chromium. CHROMIUM_PATH names the program, /usr/bin/chromium unless given. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}
