import { createDescribedSite, type DescribedSite } from './described-site.ts';
import { sites } from './index.ts';
import type { Site } from './site.ts';

/** The part of a listing's configuration that says on which other site it is. Plain data. */
export interface SiteSettings {
  /** Of one of {@link sites}, or `custom`. */
  readonly id: string;
  /** The site's API token; null if none is configured. Secret. */
  readonly key: string | null;
  /** The name of the listing at the site; null if it is not configured. */
  readonly slug: string | null;
  /** Whether the site is asked before a vote is paid. */
  readonly confirm: boolean;
  /** The description of a `custom` site. */
  readonly custom?: DescribedSite | undefined;
}

const byId = new Map<string, Site>(sites.map((site) => [site.id, site]));
const described = new WeakMap<DescribedSite, Site>();

/** What a listing can be on: the value of `site` in the configuration. */
export const siteIds: readonly string[] = [...byId.keys(), 'custom'];

/** The site of a listing. A configuration with another `id` is invalid. */
export function findSite({ id, custom }: Pick<SiteSettings, 'id' | 'custom'>): Site {
  const site = custom === undefined ? byId.get(id) : (described.get(custom) ?? createDescribedSite('custom', custom));
  if (site === undefined) throw new Error(`There is no site ${id}.`);
  if (custom !== undefined) described.set(custom, site);
  return site;
}
