import type { Browser, Page } from 'playwright-core';
import type { Shown, Stage } from './stage.ts';

export const themes = ['dark', 'light'] as const;
export type Theme = (typeof themes)[number];

/** Takes images of messages on the sandbox's page. */
export interface Camera {
  /** PNG of the element of a message. @param density pixels per CSS pixel */
  take(shown: Shown, theme: Theme, density: 1 | 2): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens the sandbox's page. Its width makes messages about as wide as in Discord's window. */
export async function openCamera(browser: Browser, stage: Stage): Promise<Camera> {
  const context = await browser.newContext({
    viewport: { width: 1290, height: 1400 },
    deviceScaleFactor: 2,
    timezoneId: 'Europe/Berlin',
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(stage.sandbox.urls.page);
  await page.getByText('Bot online').waitFor();

  return {
    async take({ message, viewer }, theme, density) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator('#acting-as').selectOption(stage.id(viewer));
      await page.locator(`[data-channel-id="${message.channel_id}"]`).click();
      const element = page.locator(`[data-message-id="${message.id}"]`);
      await element.waitFor();
      await settle(page, element);
      return element.screenshot({ animations: 'disabled', scale: density === 1 ? 'css' : 'device' });
    },
    close: () => context.close(),
  };
}

/** Waits until the components are rendered and their images are loaded. The pointer highlights nothing. */
async function settle(page: Page, element: ReturnType<Page['locator']>): Promise<void> {
  await page.mouse.move(0, 0);
  await element.evaluate(async (node: HTMLElement) => {
    const parts = [node, ...node.querySelectorAll('*')];
    await Promise.all(parts.map((part) => ('updateComplete' in part ? part.updateComplete : undefined)));
    const roots = [node, ...parts.flatMap((part) => part.shadowRoot ?? [])];
    const images = roots.flatMap((root) => [...root.querySelectorAll('img')]);
    await Promise.all(images.map((image) => image.decode()));
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}
