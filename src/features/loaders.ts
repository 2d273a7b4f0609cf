/**
 * The parts of features that act in Discord and by time, in the order in which they are created. Apart from `index.ts`,
 * which a receiver loads as well: a bundler takes along whatever a module imports, also what it would only import
 * later.
 */
export const loaders = [
  () => import('./reminders/parts.ts'),
  () => import('./next-votes/parts.ts'),
  () => import('./linked-roles/parts.ts'),
  () => import('./party/parts.ts'),
  () => import('./digests/parts.ts'),
  () => import('./lost-streaks/parts.ts'),
  () => import('./reviews/parts.ts'),
  () => import('./communities/parts.ts'),
  () => import('./announcements/parts.ts'),
  () => import('./roles/parts.ts'),
  () => import('./shop/parts.ts'),
  () => import('./member-data/parts.ts'),
  () => import('./corrections/parts.ts'),
  () => import('./claims/parts.ts'),
  () => import('./lost-votes/parts.ts'),
  () => import('./rate-alarms/parts.ts'),
  () => import('./traces/parts.ts'),
  () => import('./vote-panel/parts.ts'),
  () => import('./topgg-connect/parts.ts'),
  () => import('./settings/parts.ts'),
] as const;
