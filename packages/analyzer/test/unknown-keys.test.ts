import { cleanUp, compile, compileNodes, createTracker, diff, print, reconcile, toCommands } from '@kube-rules/compiler'
import { DiagnosticsError, type Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { printComparisonMarkdown } from '../src/entries/compare.js'
import { diagnosePacket } from '../src/entries/explain.js'
import { diagnoseNode } from '../src/entries/verify.js'
import { compare, explain, parseDump, prove, trace, verify } from '../src/index.js'

const result = compile({ services: [] }, { nodeName: 'node-1', families: ['IPv4'] })
const state = result.families[0]?.state as never
const dump = { IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' } } as const
const packet: Packet = {
  ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination: '10.96.0.10', destinationPort: 80 },
}

/** Returns the first problem of a call, as `path: message`. */
function problemOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof DiagnosticsError) {
      const [problem] = error.diagnostics
      return `${problem?.object.name} ${problem?.path}: ${problem?.message}`
    }
    throw error
  }
  return 'accepted'
}

const misspelled = <T>(key: string): T => ({ [key]: undefined }) as T

describe('a misspelled key', () => {
  it.each([
    ['services', () => compile(misspelled('Services')), 'input Services: unknown field; did you mean services?'],
    [
      'endpointSlices',
      () => compile({ services: [], ...misspelled<object>('endpointslices') }),
      'input endpointslices: unknown field; did you mean endpointSlices?',
    ],
    [
      'serviceCIDRs',
      () => Array.from(compileNodes({ services: [], ...misspelled<object>('serviceCidrs') })),
      'input serviceCidrs: unknown field; did you mean serviceCIDRs?',
    ],
    [
      'addresses',
      () => trace(state, packet, misspelled('adresses')),
      'traceContext adresses: unknown field; did you mean addresses?',
    ],
  ])('%s is an error', (_, call, problem) => {
    expect(problemOf(call)).toBe(problem)
  })

  it('is no error in an input if it resembles no field, because callers pass objects with more fields', () => {
    expect(problemOf(() => compile({ services: [], ...misspelled<object>('sources') }))).toBe('accepted')
  })
})

describe('an unknown option', () => {
  const call: readonly [string, (options: never) => unknown][] = [
    ['compile', (options) => compile({ services: [] }, options)],
    ['compileNodes', (options) => compileNodes({ services: [] }, options)],
    ['createTracker', (options) => createTracker(options)],
    ['print', (options) => print(state, options)],
    ['toCommands', (options) => toCommands(diff(undefined, result), options)],
    ['reconcile', (options) => reconcile(undefined, result, options)],
    ['cleanUp', (options) => cleanUp(state, options)],
    ['parseDump', (options) => parseDump('', options)],
    ['verify', (options) => verify(result, dump, options)],
    ['explain', (options) => explain(state, packet, options)],
    ['compare', (options) => compare(state, state, options)],
    ['prove', (options) => prove(result, options)],
    ['diagnosePacket', (options) => diagnosePacket(explain(state, packet), state, options)],
    ['diagnoseNode', (options) => diagnoseNode(result, dump, verify(result, dump), options)],
    ['printComparisonMarkdown', (options) => printComparisonMarkdown([], ['a', 'b'], options)],
  ]

  it.each(call)('of %s is an error', (_, withOptions) => {
    expect(problemOf(() => withOptions({ colour: 'red' } as never))).toBe('options colour: unknown field')
  })

  it('is reported with the known options, and with the closest of them', () => {
    const call = () => compile({ services: [] }, { kubernetesversion: '1.30' } as never)
    expect(problemOf(call)).toBe('options kubernetesversion: unknown field; did you mean kubernetesVersion?')
    expect(call).toThrow('one of nodeName, mode, kubernetesVersion, families, strict, previous')
  })

  it('is not confused with an option of an unknown mode, which does not blame the configuration', () => {
    const call = () => compile({ services: [] }, { mode: 'IPTables' } as never)
    expect(problemOf(call)).toBe('options mode: "IPTables" is not one of iptables, ipvs, nftables, userspace')
  })

  it('of a run of a tracker is an error', async () => {
    const options = { readNodes: () => dump } as never
    await expect(createTracker().run(() => 0, options)).rejects.toThrow('did you mean readNode?')
  })
})
