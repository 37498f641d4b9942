import { checkState } from '../arguments/check-state.js'
import { digestOfState } from '../dataplane/iptables/diff/diff-state.js'
import { resourcesOf } from '../dataplane/node-resources.js'
import { type NodeState, presentSubsystemsOf, type StateOf, type Subsystem } from '../dataplane/node-state.js'
import { hash16 } from '../internal/hash.js'
import { backingListOf } from '../internal/lazy-array.js'
import { serializeValue } from '../internal/plain-data.js'
import { digestOf as digestOfResources } from '../patch/digest.js'

/**
 * Returns a digest of a compiled state: 16 characters that identify its rules. The digest is the same on every machine
 * and for every order of the objects, and for a copy of the state (JSON, `structuredClone`). Compare it to find
 * nodes with changed rules. Parts that several results share are processed only once. A parsed dump has another digest
 * than the compiled state with the same rules.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * digestOf(state) === digestOf(structuredClone(state)) // => true
 * ```
 */
export function digestOf(state: NodeState): string {
  checkState('state', state)
  const parts = presentSubsystemsOf(state).map((name) => `${name} ${digestOfSubsystem(state, name)}`)
  return hash16([state.family, ...parts].join('\n'))
}

function digestOfSubsystem(state: NodeState, name: Subsystem): string {
  if (name === 'iptables') return digestOfState(state.iptables)
  const own = state[name] as { readonly contributions?: readonly object[] | undefined }
  const contributions = backingListOf(own, 'contributions')
  if (contributions === undefined) return digestOfResources(resourcesOf({ family: state.family, [name]: own }))
  return hash16(
    [serializeValue(SHARED_PARTS[name](state[name] as never)), ...contributions.map(digestOfPart)].join('\n'),
  )
}

/** The part of a state that no Service contributes. Other fields are computed from the contributions. */
const SHARED_PARTS: { readonly [S in Exclude<Subsystem, 'iptables'>]: (state: StateOf<S>) => unknown } = {
  nftables: ({ staticTable }) => staticTable,
  ipset: ({ definitions }) => definitions,
  ipvs: () => undefined,
  addresses: () => undefined,
}

const digestsOfParts = new WeakMap<object, string>()

function digestOfPart(contribution: object): string {
  const known = digestsOfParts.get(contribution)
  if (known !== undefined) return known
  const digest = hash16(serializeValue(contribution))
  digestsOfParts.set(contribution, digest)
  return digest
}
