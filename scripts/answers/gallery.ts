import type { themes } from './camera.ts';

/** An image that was taken in each theme. */
export interface TakenState {
  readonly name: string;
  readonly title: string;
  /** Alternative text. */
  readonly alt: string;
  /** Of the images, in CSS pixels. */
  readonly width: number;
}

/** The file name of an image. */
export function imageName(name: string, theme: (typeof themes)[number]): string {
  return `${name}-${theme}.png`;
}

/**
 * A page in Markdown with all images by scene, dark or light like the reader's system.
 *
 * @param directory of the images, relative to the page
 */
export function renderGallery(
  scenes: readonly { readonly title: string; readonly states: readonly TakenState[] }[],
  directory: string,
): string {
  const sections = scenes.map(({ title, states }) => [
    `## ${title}`,
    ...states.map((state) => renderState(state, directory)),
  ]);
  return [
    '# Answers and announcements',
    'What the bot posts, in each state. `scripts/answers.ts` takes the images in the sandbox.',
    ...sections.flat(),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function renderState({ name, title, alt, width }: TakenState, directory: string): string {
  const source = (theme: (typeof themes)[number]) => `${directory}/${imageName(name, theme)}`;
  return [
    `### ${title}`,
    '',
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${source('dark')}">`,
    `  <img src="${source('light')}" width="${width}" alt="${escapeAttribute(alt)}">`,
    '</picture>',
  ].join('\n');
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
