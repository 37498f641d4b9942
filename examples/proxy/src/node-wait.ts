import type { Node } from '@kube-rules/compiler'
import type { Logger } from './log.js'

/** The times that kube-proxy waits for its Node at the start, in milliseconds. */
export const NODE_WAIT_TIMES = {
  /** The wait for the Node and one of its addresses. Then kube-proxy continues without. */
  address: 30_000,
  /** The further wait for the pod network, if the rules depend on it. Then kube-proxy ends. */
  podNetwork: 300_000,
}

export type NodeWaitTimes = Readonly<typeof NODE_WAIT_TIMES>

export interface NodeWaitOptions {
  readonly needsPodNetwork: boolean
  readonly times: NodeWaitTimes
  /** Called when the wait is over. */
  readonly onEnd: () => void
  readonly fail: (reason: string) => void
  readonly log: Logger
}

/**
 * Delays the first update until the Node has an address and, if the rules depend on it, a pod network. Mirrors
 * `NewNodeManager` of kube-proxy v1.36: without an address, the wait ends after 30 seconds, because the controller that
 * adds addresses may need the Services; without a pod network, the program ends.
 */
export function createNodeWait({ needsPodNetwork, times, onEnd, fail, log }: NodeWaitOptions) {
  let timer: NodeJS.Timeout | undefined
  let phase: keyof NodeWaitTimes | undefined
  let known: Node | undefined
  let isListed = false
  let isAddressWaitOver = false
  let isOver = false

  function advance(): void {
    if (!isListed || isOver) return
    isAddressWaitOver ||= hasAddress(known)
    if (!isAddressWaitOver) {
      wait('address', () => {
        isAddressWaitOver = true
        log.error('continuing without an address of the Node', { exists: known !== undefined })
      })
    } else if (needsPodNetwork && !known?.spec?.podCIDRs?.[0]) {
      wait('podNetwork', () => {
        fail(known === undefined ? 'the Node does not exist' : 'the Node has no pod network')
      })
    } else {
      clearTimeout(timer)
      isOver = true
      onEnd()
    }
  }

  /** Runs `onTimeout` unless the phase ends earlier. */
  function wait(next: keyof NodeWaitTimes, onTimeout: () => void): void {
    if (phase === next) return
    phase = next
    clearTimeout(timer)
    timer = setTimeout(() => {
      onTimeout()
      advance()
    }, times[next])
  }

  return {
    isOver: () => isOver,
    setNode: (node: Node): void => {
      known = node
      advance()
    },
    /** Starts the wait: the API server has answered whether the Node exists. */
    listed: (): void => {
      isListed = true
      advance()
      if (!isOver) log.warning('waiting for the Node', { exists: known !== undefined })
    },
    stop: () => clearTimeout(timer),
  }
}

function hasAddress(node: Node | undefined): boolean {
  return node?.status?.addresses?.some(({ type }) => type === 'InternalIP' || type === 'ExternalIP') ?? false
}
