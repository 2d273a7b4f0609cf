/** Maximum size of a delivery (bytes). It has a few hundred. */
export const maxBodyBytes = 64 * 1024;
