/** Maximum size of a delivery (bytes), which has a few hundred, unless its site documents larger ones. */
export const maxBodyBytes = 64 * 1024;
