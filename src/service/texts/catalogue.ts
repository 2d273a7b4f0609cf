import type { Translated } from '../../texts/catalogue.ts';
import type { en } from './locales/en.ts';

/** All texts of the pages in one language, in the shape of the English ones. */
export type ServiceCatalogue = Translated<typeof en>;
