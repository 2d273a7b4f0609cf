import { pageNotFound } from './render-page.ts';

/** The id of a row in a path. @throws HttpError 404 */
export function readRowId(text: string): number {
  const id = Number(text);
  if (!/^\d{1,15}$/.test(text) || id === 0) throw pageNotFound();
  return id;
}
