import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the Chromium of a test run accepts connections. */
    browserEndpoint: string;
  }
}

/** For `globalSetup`: starts one Chromium for all tests, each of which opens a context of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    host: '127.0.0.1',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}

let connection: Promise<Browser> | undefined;

/** The browser of the test run, to which this process connects once. */
export function sharedBrowser(): Promise<Browser> {
  connection ??= chromium.connect(inject('browserEndpoint'));
  return connection;
}
