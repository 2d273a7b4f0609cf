import { announcementScene } from './announcement-states.ts';
import { emptyScene, memberScene } from './command-states.ts';
import { budgetScene, outageScene } from './failure-states.ts';
import { digestScene, ownAnnouncementScene } from './own-announcement-states.ts';
import { setupScene } from './setup-states.ts';
import { shopScene } from './shop-states.ts';
import type { Scene } from './state.ts';

/** All scenes, in the order of the page. */
export const scenes: readonly Scene[] = [
  memberScene,
  emptyScene,
  shopScene,
  announcementScene,
  ownAnnouncementScene,
  digestScene,
  outageScene,
  budgetScene,
  setupScene,
];
