/** Discord: "Message Flags". */
export const messageFlag = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  isComponentsV2: 1 << 15,
};
