import { createCatalogue } from '@tallyhook/platform/texts/translations';
import { en } from './en.ts';

/** The bot's texts. */
export const catalogue = createCatalogue(en, import.meta.url, 'bot');
