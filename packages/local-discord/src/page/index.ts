/**
 * The page on which people use a bot, for programs that present it as their own: what they add on the server. What they add in the
 * browser is in `local-discord/page/browser`.
 * @module
 */

export type { ActivityLine, Tone } from './activity.ts';
export { pageFolder, readPageFiles } from './assets.ts';
export { type ActionInput, type ActionOutput, action, user } from './page-actions.ts';
export type {
  Actions,
  ConnectedExtension,
  PageConnection,
  PageExtension,
  PageFace,
} from './page-extension.ts';
export { ownFace } from './page-html.ts';
export type { FullState, PageEvent } from './snapshot.ts';
