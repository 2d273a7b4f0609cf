import { type Button, type Component, createIds, flatten, layoutType, type Select } from './component-schema.ts';
import type { Inner, Media, NormalizedComponent, NormalizedControl, Shown } from './objects.ts';
import { normalize } from './objects.ts';

/** Finds what a URL of a component shows (`size` in bytes). @throws DiscordApiError for an unknown `attachment://` */
export type MediaResolver = (url: string) => { media: Media; filename: string | null; size: number | null };

type ShownInput = Extract<Component, { type: typeof layoutType.mediaGallery }>['items'][number];

/** The components of a message as Discord stores them. */
export function normalizeComponents(
  components: readonly Component[] | null | undefined,
  resolve: MediaResolver,
): NormalizedComponent[] {
  const idOf = createIds(flatten(components ?? []).map(({ id }) => id));

  const control = (part: Button | Select): NormalizedControl => {
    const bounds = part.type === 2 ? {} : { min_values: part.min_values ?? 1, max_values: part.max_values ?? 1 };
    return { ...normalize(part), ...bounds, id: idOf(part) } as NormalizedControl;
  };
  const shown = (part: ShownInput): Shown => ({
    media: resolve(part.media.url).media,
    description: part.description ?? null,
    spoiler: part.spoiler ?? false,
  });

  const inner = (part: Exclude<Component, { type: typeof layoutType.container }>): Inner => {
    const id = idOf(part);
    switch (part.type) {
      case 1:
        return { type: 1, id, components: part.components.map(control) };
      case layoutType.textDisplay:
        return { type: 10, id, content: part.content };
      case layoutType.section: {
        const components = part.components.map((each) => ({
          type: 10 as const,
          id: idOf(each),
          content: each.content,
        }));
        const { accessory: input } = part;
        const accessory = input.type === 2 ? control(input) : { type: 11 as const, id: idOf(input), ...shown(input) };
        return { type: 9, id, components, accessory };
      }
      case layoutType.mediaGallery:
        return { type: 12, id, items: part.items.map(shown) };
      case layoutType.file: {
        const { media: file, filename, size } = resolve(part.file.url);
        return { type: 13, id, file, name: filename, size, spoiler: part.spoiler ?? false };
      }
      case layoutType.separator:
        return { type: 14, id, divider: part.divider ?? true, spacing: part.spacing ?? 1 };
    }
  };

  return (components ?? []).map((part) => {
    if (part.type !== layoutType.container) return inner(part);
    const { accent_color = null, spoiler } = part;
    const id = idOf(part);
    return { type: 17, id, components: part.components.map(inner), accent_color, spoiler: spoiler ?? false };
  });
}
