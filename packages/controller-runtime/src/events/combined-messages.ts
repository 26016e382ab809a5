// SPDX-License-Identifier: Apache-2.0

/** What a combined event contains. */
export interface CombinedMessages {
  /** The messages that are shown, oldest first. */
  readonly latest: readonly string[];
  /** How many messages came before them. */
  readonly earlier: number;
}

export const nothingCombined: CombinedMessages = { latest: [], earlier: 0 };

/** The longest message that every API server accepts. */
export const longestMessage = 1024;
const longestPart = 300;

/** Adds a message. A message that equals the last one is not repeated; the count of the event includes it. */
export function withMessage({ latest, earlier }: CombinedMessages, message: string): CombinedMessages {
  const part = clipped(message, longestPart);
  if (latest.at(-1) === part) return { latest, earlier };
  const all = [...latest, part];
  let first = 0;
  while (first < all.length - 1 && words(all.slice(first), earlier + first).length > longestMessage) first++;
  return { latest: all.slice(first), earlier: earlier + first };
}

/** The same wording as Kubernetes' own components. */
export function describeCombined({ latest, earlier }: CombinedMessages): string {
  return clipped(words(latest, earlier), longestMessage);
}

export function clipped(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

function words(latest: readonly string[], earlier: number): string {
  const more = earlier > 0 ? [`${earlier} earlier`] : [];
  return `(combined from similar events): ${[...more, ...latest].join('; ')}`;
}
