/** A part of a picture: a box with others in it, a text, or an image file. Styles are CSS properties in camel case. */
export type PictureNode =
  | { readonly type: 'container'; readonly style: PictureStyle; children: PictureNode[] }
  | { readonly type: 'text'; readonly style: PictureStyle; readonly text: string }
  | { readonly type: 'image'; readonly style: PictureStyle; readonly src: Uint8Array };

export type PictureStyle = Record<string, string | number>;

export interface Picture {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly root: PictureNode;
}

/** A box at a fixed place. */
export function box(style: PictureStyle, ...children: PictureNode[]): PictureNode {
  return { type: 'container', style: { position: 'absolute', ...style }, children };
}

/** A text on one line. */
export function line(text: string, style: PictureStyle): PictureNode {
  return { type: 'text', style: { whiteSpace: 'nowrap', ...style }, text };
}
