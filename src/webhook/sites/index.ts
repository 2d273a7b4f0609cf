import { capture } from './capture.ts';
import { describedSites } from './described-sites.ts';
import { discordbotlist } from './discordbotlist.ts';
import { discordlistgg } from './discordlistgg.ts';
import { discordplace } from './discordplace.ts';
import { discords } from './discords.ts';
import { infinity } from './infinity.ts';
import { service } from './service.ts';
import type { Site } from './site.ts';
import { topdiscordlist } from './topdiscordlist.ts';
import { topgg } from './topgg.ts';

const { disurl, ...otherDescribed } = describedSites;

/** Sites whose votes are paid, the most used first, as lists show them: an owner can link them without a description. */
export const linkableSites: readonly Site[] = [
  topgg,
  discordbotlist,
  discordplace,
  disurl,
  infinity,
  discords,
  topdiscordlist,
  ...Object.values(otherDescribed),
];

/** Every site that a configuration can name. The first one is the default, whose deliveries have a way of their own. */
export const sites: readonly Site[] = [service, ...linkableSites, discordlistgg, capture];
