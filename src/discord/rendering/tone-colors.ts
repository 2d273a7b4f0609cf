import type { Reply } from '../commands/reply.ts';

/** The colour beside an embed or panel (RGB). */
export const toneColors: Readonly<Record<Reply['tone'], number>> = {
  good: 0x57_f2_87,
  plain: 0x58_65_f2,
  wait: 0xfe_e7_5c,
  bad: 0xed_42_45,
};
