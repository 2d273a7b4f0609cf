import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Saves two thirds of the time: what passes is not described, and style sheets, which no rule reads, are not loaded again. */
const options = { resultTypes: ['violations'], preload: { assets: ['media'] } };

/** The rules of axe-core that depend on colours: of a page that is checked already, the only ones that another scheme can violate. */
const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/**
 * The violations of the rules of axe-core on the page.
 * @param ignored by default all but the serious and critical ones
 * @param rules the ids of those to check; default: all
 */
export async function violationsOf(
  page: Page,
  ignored: readonly string[] = ['minor', 'moderate'],
  rules?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const run = `axe.run(document, ${JSON.stringify({ ...options, ...(rules && { runOnly: rules }) })}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Violation[]>(run);
  return violations
    .filter(({ impact }) => !ignored.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/** The violations in the light scheme, and those of colours in the dark one, which is left on. */
export async function violationsInBothSchemes(page: Page, ignored?: readonly string[]): Promise<readonly string[]> {
  const light = await violationsIn('light', page, ignored);
  return [...light, ...(await violationsIn('dark', page, ignored, colourRules))];
}

/** Looks again at what seems wrong: web components change their colours some frames after the page. */
async function violationsIn(
  colorScheme: 'light' | 'dark',
  page: Page,
  ...of: [ignored?: readonly string[], rules?: readonly string[]]
) {
  await page.emulateMedia({ colorScheme });
  const violations = await violationsOf(page, ...of);
  if (violations.length === 0) return violations;
  await page.waitForTimeout(500);
  return violationsOf(page, ...of);
}
