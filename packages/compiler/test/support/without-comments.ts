import type { NodeResources } from '../../src/diff/diff.js'

/**
 * Removes the comments of resources. The comments of nftables elements do not count after an update, because an
 * unchanged element keeps its comment.
 */
export function withoutComments(held: NodeResources): NodeResources {
  return new Map(
    Array.from(held, ([family, own]) => [
      family,
      new Map(Array.from(own, ([id, { comment: _, ...resource }]) => [id, resource])),
    ]),
  )
}
