export type { LinkResult, SettingIssue, SettingsAuthor } from './community.ts';
export { listingAddress } from './community.ts';
export type { Settings } from './settings.ts';
export { newListingName } from './settings.ts';
