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

/** Sites whose votes are paid, those with the most votes first: an owner can link them without a description. */
export const linkableSites: readonly Site[] = [
  topgg,
  discordbotlist,
  discordplace,
  infinity,
  discords,
  topdiscordlist,
  ...describedSites,
];

/** Every site that a configuration can name. The first one is the default, whose deliveries have a way of their own. */
export const sites: readonly Site[] = [service, ...linkableSites, discordlistgg, capture];
