import type { HostFacts } from '@kube-rules/types'
import { hostAtStart, type NodeStart, type StartOptions, updateNodeStart } from './node-start.js'
import type { TrackedInput } from './tracked-objects.js'

/** The facts about a node that no object contains, for one call of `compile`. */
export interface UsedHost {
  readonly host: HostFacts | undefined
  readonly kubernetesVersion: string | undefined
  readonly start: NodeStart
}

/** The facts about the node of a tracker, with those that kube-proxy keeps from its start. */
export interface TrackedHost {
  /** Replaces the facts that the caller specifies. */
  set(host: HostFacts | undefined): void
  /** Makes the next call of `next` use the current Node, as a new start of kube-proxy does. */
  reread(): void
  /** Returns the facts for these objects, as the identical object if they have not changed. */
  next(input: TrackedInput): UsedHost
  /** Keeps facts that were compiled. */
  keep(used: UsedHost): void
}

export function createTrackedHost(first: HostFacts | undefined, options: StartOptions): TrackedHost {
  let given = first
  let isReread = false
  let last: (UsedHost & { readonly given: HostFacts | undefined }) | undefined
  return {
    set: (host) => {
      given = host
    },
    reread: () => {
      isReread = true
    },
    next: (input) => {
      const start = updateNodeStart(last?.start, input, options, isReread)
      const isSame =
        last !== undefined &&
        last.given === given &&
        last.start.addresses === start.addresses &&
        last.start.podCIDRs === start.podCIDRs &&
        last.start.zone === start.zone &&
        last.start.configuration === start.configuration
      const host = isSame ? last?.host : hostAtStart(start, given)
      return { host, start, kubernetesVersion: start.version }
    },
    keep: (used) => {
      last = { ...used, given }
      isReread = false
    },
  }
}
