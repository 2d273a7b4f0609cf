import { z } from 'zod';
import { normalizeLine, normalizeText } from '../../platform/normalize-text.ts';

/** A field of one line: normalized, then 1 (or `minLength`) to `maxLength` UTF-16 units. */
export const line = (maxLength: number, minLength = 1) =>
  z.string().transform(normalizeLine).pipe(z.string().min(minLength).max(maxLength));

/** A field of several lines: normalized, then 1 (or `minLength`) to `maxLength` UTF-16 units. */
export const paragraphs = (maxLength: number, minLength = 1) =>
  z.string().transform(normalizeText).pipe(z.string().min(minLength).max(maxLength));
