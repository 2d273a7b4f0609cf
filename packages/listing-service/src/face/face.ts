/** How the service looks, and what it says about who runs it. */
export interface ServiceFace {
  /** In place of "Listing service". */
  readonly name?: string;
  /** Beside the name, and as the icon of the pages. */
  readonly logo?: {
    readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml';
    readonly bytes: Uint8Array;
  };
  /** `#1f5f6b`, the colour of links and buttons. In each theme, it is made darker or lighter until text is readable. */
  readonly accent?: string;
  /** Links in the footer. */
  readonly footerLinks?: readonly { readonly text: string; readonly url: string }[];
  /** Plain texts of pages: paragraphs between empty lines, `# ` before a heading; addresses become links. */
  readonly imprint?: string;
  /** By default, what the service stores. */
  readonly privacy?: string;
  readonly terms?: string;
}

/** The pages that there are, in the order of the footer. */
export function legalPages(face: ServiceFace) {
  return (['imprint', 'privacy', 'terms'] as const).filter((name) => name === 'privacy' || face[name] !== undefined);
}
