import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import { isNftablesId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import { findSubsystem } from '@kube-rules/compiler/internal/dataplane/node-resources'
import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ObjectReference } from '@kube-rules/types'
import { serverIdOfLine } from '../dataplane/ipvs/server-lines.js'
import type { PathStep } from '../program/steps.js'
import type { RuleReference } from './view.js'

/**
 * Returns a list with the Service of a service port: `default/web` for `default/web:http/TCP`. Returns an empty list
 * for any other string.
 */
export function parseServiceReference(servicePort: string | undefined): readonly ObjectReference[] {
  const [, namespace, name] = /^([^/]+)\/([^/:]+)(?::[^/]*)?(?:\/[A-Z]+)?$/.exec(servicePort ?? '') ?? []
  return namespace === undefined || name === undefined ? [] : [{ kind: 'Service', namespace, name }]
}

/** Returns a reference to the rule that matches in this step. */
export function toRuleReference(step: PathStep): RuleReference {
  for (const subsystem of SUBSYSTEMS) {
    const location = STEP_PLACES[subsystem]?.(step)
    if (location !== undefined) return { subsystem, location, text: step.text }
  }
  return { location: '', text: step.text }
}

/**
 * Converts a string to a reference. A resource id becomes a reference to the whole resource. Any other string becomes a
 * reference to a rule.
 */
export function parseRuleReference(text: string): RuleReference {
  const subsystem = findSubsystem(text)
  return subsystem === undefined ? { location: '', text } : { subsystem, location: text, text: '' }
}

/**
 * Returns the id of the chain or server that contains the rule of a trace step. Undefined if the step belongs to
 * another subsystem.
 */
type StepPlace = (step: PathStep) => string | undefined

/** Functions that return the resource id of a trace step. Undefined for subsystems without trace steps. */
const STEP_PLACES: { readonly [S in Subsystem]: StepPlace | undefined } = {
  nftables: ({ table, chain }) => (isNftablesId(table) ? `${table} chain ${chain}` : undefined),
  ipset: undefined,
  ipvs: ({ table, text }) => (table === 'ipvs' ? serverIdOfLine(text) : undefined),
  addresses: undefined,
  iptables: ({ table: by, chain }) => {
    const table = TABLE_NAMES.find((name) => by === `iptables ${name}`)
    return table && formatChainId(table, chain)
  },
}
