import { cataloguesOf, type Translated } from './catalogue.ts';
import { en } from './en.ts';

/** All texts in one language, in the shape of the English ones. */
export type Catalogue = Translated<typeof en>;

/** The texts by Discord's code of the language. */
export const catalogues = cataloguesOf('bot', en);
