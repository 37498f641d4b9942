import type { SharedPathEnd, TracePath } from '../trace/trace-paths.js'

/** The effect of limitations on an outcome. */
interface Limited {
  /**
   * Whether a limitation of a mode affects the packet. The class of the packet is then reported even if both sides handle
   * it the same way.
   */
  readonly isLimited?: boolean | undefined
}

/** A path of a packet on one side. */
export type ComparedPath = TracePath & Limited

/** A path end of packets on one side. */
export type ComparedPathEnd = SharedPathEnd & Limited
