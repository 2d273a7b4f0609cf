import type { Message, NormalizedComponent } from 'local-discord';
import { controlsOf, textsOf } from '../../packages/local-discord/src/objects.ts';
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

/** Longer texts help nobody who listens to them (characters). */
const maxLength = 600;

/** What a message says, as the alternative text of its image. @param names of users and roles by id */
export function altText(message: Message, names: ReadonlyMap<string, string>): string {
  const embeds = message.embeds.flatMap(({ title, description, fields, footer }) => [
    title,
    description,
    ...(fields ?? []).map(({ name, value }) => `${name}: ${value}`),
    footer?.text,
  ]);
  const images = [...message.attachments.map(({ description }) => description), ...imagesOf(message.components)];
  const labels = controlsOf(message.components).flatMap((control) =>
    'label' in control && control.label ? [control.label] : [],
  );
  const parts = [message.content, ...embeds, ...textsOf(message.components), ...images].filter(Boolean);
  const text = [...parts, ...(labels.length > 0 ? [`Buttons: ${labels.join(', ')}`] : [])].join('\n');
  const plain = withoutMarkup(text, names);
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1).trimEnd()}…` : plain;
}

function imagesOf(components: readonly NormalizedComponent[]): readonly (string | null)[] {
  return components.flatMap((part) => {
    if (part.type === 17) return imagesOf(part.components);
    return part.type === 12 ? part.items.map(({ description }) => description) : [];
  });
}

function withoutMarkup(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/<(@!?|@&|#)(\d{1,20})>/g, (_, sign: string, id: string) => `${sign[0]}${names.get(id) ?? id}`)
    .replaceAll(/<\/([^:>]{1,100}):\d{1,20}>/g, '/$1')
    .replaceAll(/<t:\d{1,13}(?::\w)?>/g, '(time)')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\\([^\p{L}\p{N}\s])/gu, '$1')
    .replaceAll(/^\s*(?:#{1,3}|-#|>|[-*]) /gm, '')
    .replaceAll(/[*`~|]{1,3}/g, '')
    .replaceAll(/\s*\n\s*/g, '. ')
    .replaceAll(/([.:!?])\.(?= |$)/g, '$1')
    .trim();
}
