/** The least contrast between text and its ground (WCAG 2.2, success criterion 1.4.3). */
const minContrast = 4.5;
const grounds = /--(?:ground|card|good-ground|bad-ground): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g;

type Colour = readonly [red: number, green: number, blue: number];

/**
 * A stylesheet with another accent. In the light theme it is made darker, and in the dark one lighter, until text in it is
 * readable on every ground.
 * @param stylesheet declares the grounds as `light-dark(#ffffff, #000000)`
 * @param accent `#1f5f6b`
 */
export function withAccent(stylesheet: string, accent: string): string {
  const found = [...stylesheet.matchAll(grounds)];
  const [white, black] = [toColour('#ffffff'), toColour('#000000')];
  const light = readableOn(
    found.map(([, hex = '']) => toColour(hex)),
    toColour(accent),
    black,
  );
  const dark = readableOn(
    found.map(([, , hex = '']) => toColour(hex)),
    toColour(accent),
    white,
  );
  const inkOn = (ground: Colour) => toHex(contrastOf(ground, white) > contrastOf(ground, black) ? white : black);
  return `${stylesheet}
:root {
  --accent: light-dark(${toHex(light)}, ${toHex(dark)});
  --accent-ink: light-dark(${inkOn(light)}, ${inkOn(dark)});
}
`;
}

/** The colour, mixed with as little of another one as needed. */
function readableOn(colours: readonly Colour[], colour: Colour, other: Colour): Colour {
  for (let percent = 0; percent < 100; percent += 1) {
    const mixed = colour.map((part, index) => Math.round(part + (((other[index] ?? 0) - part) * percent) / 100));
    const [red = 0, green = 0, blue = 0] = mixed;
    if (colours.every((ground) => contrastOf([red, green, blue], ground) >= minContrast)) return [red, green, blue];
  }
  return other;
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
export function contrastOf(a: Colour, b: Colour): number {
  const [darker = 0, lighter = 0] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, "relative luminance": 0 to 1. */
function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function toColour(hex: string): Colour {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function toHex([red, green, blue]: Colour): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
}
