import { addedValue } from '../../core/added-value.ts';

/** 3 to 40 characters. Addresses with fewer, or with other characters, are those of the pages themselves. */
export const slugPattern = /^[a-z0-9-]{3,40}$/;

/** The last part of the address of a community's public page, null without one: of the settings of its listings. */
export const publicSlug = addedValue<string | null>('publicPage', null);

/** The path of all public pages, below `PUBLIC_URL`. */
export const pagesPath = '/c';
