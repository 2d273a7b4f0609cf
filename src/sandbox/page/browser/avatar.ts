const colors = ['#4e5bd8', '#2d7d46', '#b3541e', '#a2317d', '#0f6f8f', '#b5323a'];

/**
 * A `data:` URL of an avatar: the initial on a color that depends on the id. Safe for any name: only one letter or digit of it is used,
 * and browsers do not run scripts in images.
 */
export function avatarUrl(id: string, name: string): string {
  const color = colors[id === '' ? 0 : Number(BigInt(id) % BigInt(colors.length))];
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0]?.toUpperCase() ?? '?';
  const text = `<text x="20" y="27" fill="#fff" font-family="sans-serif" font-size="20" font-weight="600" text-anchor="middle">`;
  const circle = `<rect width="40" height="40" fill="${color}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">${circle}${text}${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
