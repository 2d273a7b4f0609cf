/** The guild of the home community in `installation`; empty if its listings have no guild. */
export const homeKey = 'home';
