import type { Packet, Result } from '@kube-rules/types'
import { readDumpSections } from '../../../analyzer/src/dataplane/netfilter/dump-section.js'
import type { TextProblem } from '../../../analyzer/src/dataplane/netfilter/text-problem.js'
import type { DumpReader } from '../../../analyzer/src/dump/dump-readers.js'
import type { Instruction } from '../../../analyzer/src/program/program.js'
import type { Lowering } from '../../../analyzer/src/trace/lowerings.js'
import type { CommandWriter } from '../../src/commands/command-writers.js'
import { compareResources } from '../../src/dataplane/compare-resources.js'
import type { PhasedCommand, ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { SubsystemResources } from '../../src/dataplane/resource-conversions.js'
import type { SubsystemDiffer } from '../../src/diff/subsystem-differs.js'
import { diffResources } from '../../src/patch/diff-resources.js'
import { type Change, resourceIdOf } from '../../src/patch/patch.js'
import type { Resource, Resources } from '../../src/patch/resource.js'
import type { ServicePlan } from '../../src/plan/plan.js'
import type { SubsystemPrinter } from '../../src/print/subsystem-printers.js'
import type { DriftCheck } from '../../src/reconcile/drift-checks.js'
import type { ModeLowering } from '../../src/targets/mode-lowering.js'
import type { ModeOwnership } from '../../src/targets/ownership.js'

// A minimal artificial subsystem and mode: signs at addresses, without an effect on packets.

/** The addresses, each as `sign 10.96.0.1`. */
export interface SignState {
  readonly addresses: readonly string[]
}

const SIGN = /^sign ([0-9a-f.:]+)$/

/** A subsystem of one tool, `sign`, that reads `sign ADDRESS` and `unsign ADDRESS` line by line. */
export const signPrinter: SubsystemPrinter<SignState> = {
  formats: ['restore'],
  print: ({ addresses }) => addresses.map((address) => `sign ${address}\n`).join(''),
}

export const signResources: SubsystemResources<SignState> = {
  owns: (id) => id.startsWith('sign '),
  resources: resourcesOf,
}

export function assembleSigns(resources: Resources): SignState {
  return { addresses: Array.from(resources.keys(), (id) => id.slice('sign '.length)) }
}

export const signDiffer: SubsystemDiffer<SignState> = {
  diff: (before, after) => diffResources(resourcesOf(before), resourcesOf(after)),
}

export const signReader: DumpReader<SignState, 'notSign'> = {
  begins: (line) => (line.startsWith('sign ') ? 'line' : undefined),
  read: (lines) => readDumpSections(lines, readSigns, ofFamily),
}

export const signCommands: CommandWriter = {
  appliesByLine: true,
  writeCommands: (changes) => [...runsOf(changes, 'create'), ...runsOf(changes, 'delete')],
}

export const signLowering: Lowering<SignState> = {
  lower: ({ addresses }) => {
    const operands = addresses.map((text) => ({ text }))
    const sign: Instruction = {
      literals: [{ kind: 'address', side: 'destination', operands }],
      effects: [{ kind: 'reject', with: 'a sign' }],
      condition: () => 'a sign matches',
    }
    const chain = { name: 'signs', instructionsFor: () => [sign] }
    return [{ hook: 'PREROUTING', priority: -400, translates: false, chain }]
  },
}

export const signCheck: DriftCheck<SignState, Resource> = {
  compare: (expected, live, ownership) =>
    compareResources({ expected: resourcesOf(expected), actual: resourcesOf(live) }, ownership, {
      owners: () => new Map(),
      textOf: ({ id }) => id,
      partOf: ({ id }) => ({ kind: 'set', set: id }),
      ownValue: ({ value }) => value,
    }),
}

function readSigns(text: string): Result<SignState, TextProblem<'notSign'>> {
  const found = text.split('\n').map((line) => SIGN.exec(line)?.[1])
  const wrong = found.indexOf(undefined)
  if (wrong < 0) return { ok: true, value: { addresses: found as string[] } } as const
  const problem = { code: 'notSign', text: 0, line: wrong + 1, column: 1, message: 'no sign', excerpt: '' } as const
  return { ok: false, problems: [problem] } as const
}

function ofFamily({ addresses }: SignState, family: 'IPv4' | 'IPv6'): SignState {
  return { addresses: addresses.filter((address) => address.includes(':') === (family === 'IPv6')) }
}

function resourcesOf(state: SignState | undefined): Resources {
  return new Map(
    (state?.addresses ?? []).map((address) => [`sign ${address}`, { id: `sign ${address}`, refs: [], value: {} }]),
  )
}

function runsOf(changes: readonly Change[], kind: 'create' | 'delete'): readonly PhasedCommand[] {
  const lines = changes
    .filter((change) => change.kind === kind)
    .map((change) => `${prefixOf(kind)}${resourceIdOf(change)}\n`)
  if (lines.length === 0) return []
  const phase = kind === 'create' ? 'provide' : 'withdraw'
  return [{ phase, command: { tool: 'sign', args: ['-'], input: lines.join(''), purpose: `${kind} signs` } }]
}

function prefixOf(kind: 'create' | 'delete'): string {
  return kind === 'create' ? '' : 'un'
}

/** A mode that adds a sign at every cluster IP. */
export const tinyLowering: ModeLowering<undefined, string> = {
  limitationsOf: () => [],
  validate: () => [],
  lowering: () => undefined,
  lowerService: clusterIPOf,
  countParts: (parts) => ({ chains: 0, rules: parts.length }),
  assemble: ({ list, counts }, { family }) => {
    const state = { family, signs: { addresses: [...new Set(list())].sort() } }
    return { state, counts, diagnostics: [] }
  },
  hostRequirements: () => undefined,
}

export const tinyOwnership: ModeOwnership = {
  // The test adds this subsystem to the table, but the table's type does not include it.
  resources: () => ({ signs: { isOwned: () => true, reasonOf: (kind: string) => `the sign is ${kind}` } }) as never,
  isModeSpecific: (id) => id.startsWith('sign '),
  staticResources: () => [],
}

/** The state that removes all signs. */
export function cleanUpSigns(): readonly ToolCommand[] {
  return [{ tool: 'sign', args: ['--none'], input: '', purpose: 'remove all signs' }]
}

function clusterIPOf({ frontends }: ServicePlan): string {
  return frontends.find(({ kind }) => kind === 'clusterIP')?.address ?? ''
}

/** Builds a packet of a pod. */
export function packetTo(destination: string): Packet {
  return { origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination, destinationPort: 80 }
}
