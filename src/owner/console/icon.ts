/** The console's mark: tally strokes, the fifth across. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3f51b5"/>
<g stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M9 8v16M14 8v16M19 8v16M24 8v16M6 21 27 11"/></g></svg>
`;
