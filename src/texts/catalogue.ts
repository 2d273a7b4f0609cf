import { createCatalogue } from '@tallyhook/platform/texts/translations';
import { en } from '../../locales/en.ts';

/** The bot's texts. */
export const catalogue = createCatalogue(en, import.meta.url, 'bot');
