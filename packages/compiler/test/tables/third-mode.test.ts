import { describe, expect, it, vi } from 'vitest'
import { parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import { trace } from '../../../analyzer/src/trace/trace.js'
import { verify } from '../../../analyzer/src/verify/verify.js'
import { cleanUp } from '../../src/commands/clean-up.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileOptions, CompileResult } from '../../src/compilation/compile-result.js'
import { canonicalizeState } from '../../src/dataplane/nftables/compare.js'
import type { Dump, NodeState } from '../../src/dataplane/node-state.js'
import { applyPatch, assembleStates, diff, toResources } from '../../src/diff/diff.js'
import { print } from '../../src/print/print.js'
import { PROXY_MODES, type ProxyMode } from '../../src/targets/modes.js'
import { createTracker } from '../../src/tracker/tracker.js'
import { at, service, slice } from '../support/objects.js'
import { packetTo } from './tiny-mode.js'

// Only two tables list the subsystems and modes. The tests add one entry to each.

vi.mock('../../src/dataplane/node-state.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/dataplane/node-state.js')>()
  const SUBSYSTEMS = [...original.SUBSYSTEMS, 'signs'] as never as typeof original.SUBSYSTEMS
  const presentSubsystemsOf = (state: NodeState) => SUBSYSTEMS.filter((name) => state[name] !== undefined)
  return { ...original, SUBSYSTEMS, presentSubsystemsOf }
})

vi.mock('../../src/targets/modes.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/targets/modes.js')>()
  const PROXY_MODES = [...original.PROXY_MODES, 'tiny']
  const SUBSYSTEMS_OF_MODE = { ...original.SUBSYSTEMS_OF_MODE, tiny: ['signs'] }
  const isProxyMode = (mode: string) => PROXY_MODES.includes(mode)
  const parseProxyMode = (mode: string) => (isProxyMode(mode) ? mode : 'iptables')
  return { PROXY_MODES, SUBSYSTEMS_OF_MODE, isProxyMode, parseProxyMode }
})

vi.mock('../../src/dataplane/tool-names.js', async (importOriginal) => {
  const { TOOL_NAMES } = await importOriginal<typeof import('../../src/dataplane/tool-names.js')>()
  return { TOOL_NAMES: { ...TOOL_NAMES, signs: { printedBy: 'sign -l', contents: 'signs' } } }
})

vi.mock('../../src/print/subsystem-printers.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/print/subsystem-printers.js')>()
  const { signPrinter } = await import('./tiny-mode.js')
  return { ...original, SUBSYSTEM_PRINTERS: { ...original.SUBSYSTEM_PRINTERS, signs: signPrinter } }
})

vi.mock('../../src/dataplane/resource-conversions.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/dataplane/resource-conversions.js')>()
  const { assembleSigns, signResources } = await import('./tiny-mode.js')
  return {
    SUBSYSTEM_RESOURCES: { ...original.SUBSYSTEM_RESOURCES, signs: signResources },
    STATE_ASSEMBLERS: { ...original.STATE_ASSEMBLERS, signs: assembleSigns },
  }
})

vi.mock('../../src/arguments/state-list-fields.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/arguments/state-list-fields.js')>()
  return { STATE_LIST_FIELDS: { ...original.STATE_LIST_FIELDS, signs: 'addresses' } }
})

vi.mock('../../src/diff/subsystem-differs.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/diff/subsystem-differs.js')>()
  const { signDiffer } = await import('./tiny-mode.js')
  return { ...original, SUBSYSTEM_DIFFERS: { ...original.SUBSYSTEM_DIFFERS, signs: signDiffer } }
})

vi.mock('../../../analyzer/src/dump/dump-readers.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../analyzer/src/dump/dump-readers.js')>()
  const { signReader } = await import('./tiny-mode.js')
  return { ...original, DUMP_READERS: { ...original.DUMP_READERS, signs: signReader } }
})

vi.mock('../../src/commands/command-writers.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/commands/command-writers.js')>()
  const { signCommands } = await import('./tiny-mode.js')
  return { ...original, COMMAND_WRITERS: { ...original.COMMAND_WRITERS, signs: signCommands } }
})

vi.mock('../../../analyzer/src/trace/lowerings.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../analyzer/src/trace/lowerings.js')>()
  const { signLowering } = await import('./tiny-mode.js')
  return { ...original, LOWERINGS: { ...original.LOWERINGS, signs: signLowering } }
})

vi.mock('../../src/reconcile/drift-checks.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/reconcile/drift-checks.js')>()
  const { signCheck } = await import('./tiny-mode.js')
  return { ...original, DRIFT_CHECKS: { ...original.DRIFT_CHECKS, signs: signCheck } }
})

vi.mock('../../src/compilation/mode-lowerings.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/compilation/mode-lowerings.js')>()
  const { tinyLowering } = await import('./tiny-mode.js')
  return { ...original, MODE_LOWERINGS: { ...original.MODE_LOWERINGS, tiny: tinyLowering } }
})

vi.mock('../../src/reconcile/mode-ownerships.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/reconcile/mode-ownerships.js')>()
  const { tinyOwnership } = await import('./tiny-mode.js')
  return { ...original, MODE_OWNERSHIPS: { ...original.MODE_OWNERSHIPS, tiny: tinyOwnership } }
})

vi.mock('../../src/commands/clean-up-functions.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/commands/clean-up-functions.js')>()
  const { cleanUpSigns } = await import('./tiny-mode.js')
  return { ...original, CLEAN_UP_FUNCTIONS: { ...original.CLEAN_UP_FUNCTIONS, tiny: cleanUpSigns } }
})

vi.mock('../../../analyzer/src/targets/local-traffic-detection-readers.js', async (importOriginal) => {
  const original =
    await importOriginal<typeof import('../../../analyzer/src/targets/local-traffic-detection-readers.js')>()
  return { LOCAL_TRAFFIC_DETECTION_READERS: { ...original.LOCAL_TRAFFIC_DETECTION_READERS, tiny: () => undefined } }
})

vi.mock('../../../analyzer/src/trace/mode-readers.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../analyzer/src/trace/mode-readers.js')>()
  return { ...original, PROXY_LISTENER_READERS: { ...original.PROXY_LISTENER_READERS, tiny: () => [] } }
})

vi.mock('../../../analyzer/src/verify/annotate-owners.js', () => ({ annotateOwners: (live: NodeState) => live }))

const TINY = 'tiny' as ProxyMode

function compiled(mode: ProxyMode, options: Partial<CompileOptions> = {}, ...addresses: string[]): CompileResult {
  const input = {
    services: [service()],
    endpointSlices: [slice(at(...addresses))],
  }
  return compile(input, { mode, families: ['IPv4'], ...options })
}

function read(text: string): Dump {
  const parsed = parseDump(text)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join())
  return parsed.value
}

function stateOf({ families }: CompileResult) {
  const [family] = families
  if (family === undefined) throw new Error('nothing was compiled')
  return family.state
}

/** Chains and sets of nftables are in creation order. */
function textOf({ nftables, ...rest }: NodeState): string {
  return print({ ...rest, ...(nftables && { nftables: canonicalizeState(nftables) }) }, { format: 'save' })
}

const result = compiled(TINY, {}, '10.244.1.1')

describe('a mode and a subsystem that exist only in the registries', () => {
  it('are used by compile and print', () => {
    expect(PROXY_MODES).toEqual(['iptables', 'ipvs', 'nftables', 'userspace', 'tiny'])
    expect(result.mode).toBe('tiny')
    expect(print(stateOf(result))).toBe('sign 10.96.0.1\n')
    expect(result.counts).toEqual({ servicePorts: 1, endpoints: 1, chains: 0, rules: 1 })
  })

  it('are used by parseDump, together with other subsystems', () => {
    const dump = read('*nat\nCOMMIT\nsign 10.96.0.1\nsign fd00::1\n')
    expect(dump.IPv4).toMatchObject({ signs: { addresses: ['10.96.0.1'] }, iptables: { tables: [{ name: 'nat' }] } })
    expect(dump.IPv6).toEqual({ family: 'IPv6', signs: { addresses: ['fd00::1'] } })
    expect(parseDump('sign here\n')).toMatchObject({ ok: false, problems: [{ code: 'notSign', line: 1 }] })
  })

  it('are used by diff and toCommands', () => {
    const input = 'sign 10.96.0.1\n'
    expect(toCommands(diff(undefined, result))).toEqual([{ tool: 'sign', args: ['-'], input, purpose: 'create signs' }])
    expect(toCommands(diff(result, undefined))).toMatchObject([{ tool: 'sign', input: `un${input}` }])
    expect(diff(result, compiled(TINY, { previous: result }, '10.244.1.1')).families).toEqual([])
  })

  it('are used by verify and by the repair', () => {
    expect(verify(result, read('sign 10.96.0.1\n')).families[0]).toMatchObject({ drift: [], repair: [] })
    const [report] = verify(result, read('sign 10.96.0.9\n')).families
    expect(report?.drift).toMatchObject([
      {
        servicePort: '',
        drift: [
          { subsystem: 'signs', location: 'sign 10.96.0.1', kind: 'missing', reason: 'the sign is missing' },
          { subsystem: 'signs', location: 'sign 10.96.0.9', kind: 'extra', reason: 'the sign is extra' },
        ],
      },
    ])
    expect(report?.repair.map(({ input }) => input)).toEqual(['sign 10.96.0.1\nunsign 10.96.0.9\n'])
    const [unverified] = verify(result, read('*nat\nCOMMIT\n')).families
    expect(unverified?.unverified).toEqual([{ part: 'signs', reason: 'the dump has no signs, as printed by sign -l' }])
  })

  it('are used by trace', () => {
    const outcomes = (address: string) => trace(stateOf(result), packetTo(address)).map(({ outcome }) => outcome)
    expect(outcomes('10.96.0.1')).toEqual([{ kind: 'rejected', with: 'a sign' }])
    expect(outcomes('10.96.0.2')[0]?.kind).toBe('unmatched')
  })

  it('are used by a tracker and by cleanUp', () => {
    const tracker = createTracker({ mode: TINY, families: ['IPv4'] })
    tracker.upsert(service({ clusterIP: '10.96.0.7' }), 'Service')
    expect(toCommands(tracker.sync().patch)[0]?.input).toBe('sign 10.96.0.7\n')
    expect(cleanUp(stateOf(result), { mode: TINY }).map(({ args }) => args)).toEqual([['--none']])
  })
})

describe.each<readonly [ProxyMode, string]>([
  ['iptables', 'iptables-restore'],
  ['ipvs', 'iptables-restore'],
  ['nftables', 'nft'],
])('a mode change between the added mode and %s', (mode, tool) => {
  const other = compiled(mode, {}, '10.244.1.1', '10.244.1.2')

  it.each([
    ['to the added mode', other, result],
    ['from the added mode', result, other],
  ])('%s is an ordinary diff', (_, before, after) => {
    const patch = diff(before, after)
    const [state] = assembleStates(applyPatch(toResources([stateOf(before)]), patch))
    expect(state && textOf(state)).toBe(textOf(stateOf(after)))
  })

  it('creates the rules of the new mode before it removes the rules of the old mode', () => {
    const tools = (from: CompileResult, to: CompileResult) => [
      ...new Set(toCommands(diff(from, to)).map(({ tool, input }) => (tool === 'sign' ? input.split(' ')[0] : tool))),
    ]
    const [coming, going] = [tools(other, result), tools(result, other)]
    expect(coming[0]).toBe('sign')
    expect(going.at(-1)).toBe('unsign')
    expect(coming).toContain(tool)
    expect(going).toContain(tool)
  })
})
