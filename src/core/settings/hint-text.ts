import type { TextIn, Texts } from '../../texts/texts.ts';

/** What the texts of an announcement can contain, as examples. */
const examples = { title: '{listing} {credits} {streak}', text: '{mention} {listing} {credits} {next}' };

/** The hint below a field of a form. */
export function hintText(hint: TextIn<'setup.hints'>, { text }: Texts): string {
  return hint === 'title' || hint === 'text'
    ? text(`setup.hints.${hint}`, { placeholders: examples[hint] })
    : text(`setup.hints.${hint}`);
}
