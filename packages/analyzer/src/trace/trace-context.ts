import {
  checkList,
  checkObject,
  checkSpelling,
  checkStrings,
  type OptionTypes,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkPlan } from '@kube-rules/compiler/internal/arguments/check-result'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'

/** Facts about the node that a trace needs in addition to its rules. */
export interface TraceContext {
  /**
   * All addresses of the node except loopback addresses and addresses of `kube-ipvs0`, which are local anyway. If
   * absent, the locality of all addresses outside these two groups is undetermined.
   */
  readonly addresses?: readonly string[] | undefined
  /** The session-affinity entries. If absent, no client has an entry. */
  readonly affinity?: readonly AffinityEntry[] | undefined
}

/** A session-affinity entry: a client, and the `recent` list, nftables set or virtual server that stores the client. */
export type AffinityEntry =
  /** An entry in the recent list of a KUBE-SEP chain (the list has the name of the chain), or in a dynamic nftables set. */
  | { readonly client: string; readonly recentList: string; readonly ageSeconds: number }
  /**
   * A persistence entry of an IPVS virtual server (`10.96.0.1:80/TCP`): the real server of the client
   * (`10.244.1.1:8080`).
   */
  | { readonly client: string; readonly virtualServer: string; readonly realServer: string }

/** Returns the trace context that a plan defines. */
export function traceContextFor(plan: Plan): TraceContext {
  checkPlan('plan', plan)
  return { addresses: plan.node.addresses.map(({ address }) => address) }
}

/** The types of the fields of a trace context, for options that contain these fields. */
export const TRACE_CONTEXT_FIELDS: OptionTypes<TraceContext> = { addresses: 'other', affinity: 'other' }

/** Checks that an argument is a trace context. */
export function checkTraceContext(name: string, value: unknown): void {
  const fields = checkObject(name, value, 'an object with addresses and affinity entries')
  checkSpelling(name, fields, Object.keys(TRACE_CONTEXT_FIELDS))
  const { addresses, affinity } = fields
  if (addresses !== undefined) checkStrings(name, addresses, 'a list of addresses', 'addresses')
  if (affinity === undefined) return
  const expected = 'a list of affinity entries'
  checkList(name, affinity, expected, 'affinity').forEach((entry, index) => {
    checkObject(name, entry, 'an affinity entry', `affinity[${index}]`)
  })
}
