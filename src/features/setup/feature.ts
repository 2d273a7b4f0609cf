export type { LinkResult, SettingsAuthor } from './community.ts';
export { listingAddress } from './describe-community.ts';
export { newListingName } from './listing-changes.ts';
export type { Setup } from './setup.ts';
