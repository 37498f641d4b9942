import type { Hook } from '../../../compiler/src/dataplane/netfilter/hooks.js'
import { formatFraction, ONE_FRACTION } from '../../../compiler/src/internal/fraction.js'
import { createConditionTable } from '../../src/program/assumptions.js'
import type { ChainResult } from '../../src/program/chain-result.js'
import type { NodeFacts } from '../../src/program/facts.js'
import type { KernelPacket } from '../../src/program/kernel-packet.js'
import { type PathState, stepsOfPath } from '../../src/program/path-state.js'
import type { Chain, Effect, Instruction, Literal } from '../../src/program/program.js'
import type { ReadSet } from '../../src/program/read-set.js'
import type { RunContext } from '../../src/program/split-path.js'
import type { PathStep } from '../../src/program/steps.js'

/** A packet of a pod to a Service, with overrides. */
export function kernelPacket(fields: Partial<KernelPacket> = {}): KernelPacket {
  return {
    family: 'IPv4',
    protocol: 'tcp',
    source: '10.244.0.9',
    sourcePort: undefined,
    destination: '10.96.0.10',
    destinationPort: 80,
    originalDestination: '10.96.0.10',
    originalDestinationPort: 80,
    inInterface: 'cali1',
    sentByNode: false,
    bridged: 'no',
    mark: 0,
    connectionMark: 0,
    untracked: false,
    translatedBy: undefined,
    virtualServer: undefined,
    masqueraded: false,
    destinationDecided: 'no',
    sourceDecided: 'no',
    ...fields,
  }
}

/** A path at its start, with overrides. */
export function pathState(fields: Partial<PathState> = {}): PathState {
  return {
    weight: ONE_FRACTION,
    assumptions: [],
    packet: kernelPacket(),
    leading: undefined,
    last: undefined,
    sources: undefined,
    destinations: undefined,
    order: undefined,
    ...fields,
  }
}

/** The facts of a node with the address 192.168.0.2, with overrides. */
export function nodeFacts(fields: Partial<NodeFacts> = {}): NodeFacts {
  return {
    isLocal: (address) => (address === '192.168.0.2' ? 'yes' : 'no'),
    addresses: ['192.168.0.2'],
    secondsSinceSeen: () => undefined,
    persistentServer: () => undefined,
    ...fields,
  }
}

interface ContextFields {
  readonly hook?: Hook
  readonly facts?: NodeFacts
  readonly reads?: ReadSet
  readonly instructions?: number
  readonly forks?: number
}

export function runContext({
  hook = 'PREROUTING',
  facts = nodeFacts(),
  reads,
  instructions = 100_000,
  forks = 256,
}: ContextFields = {}): RunContext {
  return { hook, facts, reads, budget: { instructions, forks }, conditions: createConditionTable() }
}

/** A chain with these instructions. */
export function chain(name: string, instructions: readonly Instruction[], fields: Partial<Chain> = {}): Chain {
  return { name, instructionsFor: () => instructions, ...fields }
}

/** An instruction whose step and condition have the text. */
export function instruction(text: string, literals: readonly Literal[], ...effects: readonly Effect[]): Instruction {
  const step = (hook: Hook): PathStep => ({ hook, table: 'test', chain: '', text, ...NOTHING })
  return { literals, effects: [{ kind: 'step', step }, ...effects], condition: () => `${text} matches` }
}

const NOTHING = { target: '', jumpsTo: '', comment: '', servicePort: '' } as const

export function jump(to: Chain): Effect {
  return { kind: 'jump', chain: { name: to.name, resolve: () => to } }
}

/** Sets one bit of the mark. */
export function setBit(bit: number): Effect {
  return { kind: 'setMark', of: 'packet', clear: bit, flip: bit }
}

export const UNKNOWN: Literal = { kind: 'unknown' }
export const NEVER: Literal = { kind: 'always', negated: true }
export const half: Literal = { kind: 'chance', share: { numerator: 1, denominator: 2 } }

/** A step of a rule with this text. */
export function step(text: string): PathStep {
  return { hook: 'PREROUTING', table: 'iptables nat', chain: 'T', text, ...NOTHING }
}

/** Formats results: `1/2 [r1 matches, not r2 matches] r1 r2 -> dropped mark 1`. */
export function textOf({ path, exit }: ChainResult): string {
  const assumed = path.assumptions.map(({ condition, value }) => `${value ? '' : 'not '}${condition}`).join(', ')
  const steps = stepsOfPath(path).map(({ text }) => text)
  const end = typeof exit === 'string' ? exit : exit.kind === 'unknown' ? exit.reason : exit.kind
  const mark = path.packet.mark === 0 ? '' : ` mark ${path.packet.mark}`
  return [
    formatFraction(path.weight),
    ...(assumed === '' ? [] : [`[${assumed}]`]),
    ...steps,
    '->',
    `${end}${mark}`,
  ].join(' ')
}
