import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { launchBrowser } from '../browser.ts';
import type { SiteIssue } from './site.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Serves the files of a folder on a free port, as any static host does. */
export async function serveFolder(directory: string): Promise<{ readonly origin: string; close(): void }> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const body = await readFile(join(directory, path)).catch(() => null);
    response
      .writeHead(body === null ? 404 : 200, { 'content-type': contentTypes[extname(path)] ?? 'text/plain' })
      .end(body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { origin, close: () => void server.close() };
}

/** Phones and desktops, CSS pixels. */
const widths = [360, 1200];

/**
 * Opens pages of a folder in a headless Chromium, and searches. Reports requests to other hosts, requests and scripts that
 * fail, and pages that are wider than the window. Throws if Chromium cannot be started.
 */
export async function visitSite(directory: string, pages: readonly string[]): Promise<SiteIssue[]> {
  const issues = new Set<SiteIssue>();
  const { origin, close } = await serveFolder(directory);
  const browser = await launchBrowser();
  try {
    for (const width of widths) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) issues.add(`${page.url()}: requests ${url}`);
      });
      page.on('response', (response) => {
        // Browsers request an icon that no page has.
        const isIcon = response.url().endsWith('/favicon.ico');
        if (response.status() >= 400 && !isIcon) issues.add(`${page.url()}: ${response.url()} is ${response.status()}`);
      });
      page.on('pageerror', (error) => issues.add(`${page.url()}: ${error.message}`));
      for (const path of pages) {
        await page.goto(origin + path);
        const excess = Number(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        );
        if (excess > 0) issues.add(`${path}: ${excess} px wider than a window of ${width} px`);
      }
      await page.keyboard.press('/');
      await page.keyboard.type('vote');
      await page.locator('#tsd-search-results li').first().waitFor({ timeout: 10_000 });
      await page.close();
    }
  } finally {
    await browser.close();
    close();
  }
  return [...issues].map((issue) => issue.replaceAll(origin, ''));
}
