import { capture } from './capture.ts';
import { discordbotlist } from './discordbotlist.ts';
import { discordlistgg } from './discordlistgg.ts';
import { discordplace } from './discordplace.ts';
import { discords } from './discords.ts';
import { infinity } from './infinity.ts';
import { service } from './service.ts';
import type { Site } from './site.ts';
import { tokenSites } from './token-sites.ts';
import { topdiscordlist } from './topdiscordlist.ts';
import { topgg } from './topgg.ts';

/** Every site that a configuration can name. The first one is the default, whose deliveries have a way of their own. */
export const sites: readonly Site[] = [
  service,
  topgg,
  discordbotlist,
  discordplace,
  infinity,
  discords,
  topdiscordlist,
  discordlistgg,
  ...tokenSites,
  capture,
];
