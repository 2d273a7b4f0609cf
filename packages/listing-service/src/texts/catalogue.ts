import { createCatalogue } from '@tallyhook/platform/texts/translations';
import { en } from '../../locales/en.ts';

/** The texts of the pages. */
export const catalogue = createCatalogue(en, import.meta.url, 'service');
