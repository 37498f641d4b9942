import { describe, expect, it } from 'vitest'
import { createEquivalentSources } from '../../../../compiler/src/dataplane/netfilter/equivalent-sources.js'
import {
  createReadSet,
  recordLocalSourceRead,
  recordSourceRead,
} from '../../../../compiler/src/dataplane/netfilter/read-set.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import { partitionBySource } from '../../../src/dataplane/netfilter/partition-by-source.js'
import type { PathState } from '../../../src/dataplane/netfilter/path-state.js'
import { branch } from './branches.js'

const SOURCES = ['10.0.0.1', '10.0.0.2', '10.1.0.1', '10.0.0.3']

function pathOf(sources: readonly string[]) {
  return branch({
    packet: kernelPacket({
      source: sources[0] ?? '',
      equivalents: createEquivalentSources(sources),
      readSet: createReadSet(),
    }),
  })
}

/** Returns the network of a source, with the same lookup as a rule. */
function tellNetwork({ packet }: PathState): string {
  recordSourceRead(packet.readSet, '10.0.0.0/16')
  return packet.source.replace(/\.\d+\.\d+$/, '')
}

const sourcesOf = ({ packet }: PathState) => [packet.source, packet.equivalents?.sources]

describe('packets of several sources', () => {
  it('are split into groups with the same result', () => {
    const parts = partitionBySource(pathOf(SOURCES), tellNetwork, (network) => network)
    expect(parts.map(({ path, matches }) => [...sourcesOf(path), matches])).toEqual([
      ['10.0.0.1', ['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0'],
      ['10.1.0.1', ['10.1.0.1'], '10.1'],
    ])
  })

  it('are split into one group for each source if results cannot be grouped', () => {
    const parts = partitionBySource(pathOf(SOURCES), tellNetwork, () => undefined)
    expect(parts.map(({ path }) => path.packet.equivalents?.sources)).toEqual(SOURCES.map((source) => [source]))
    const ofNone = partitionBySource(
      pathOf(SOURCES),
      () => 'unknown',
      () => undefined,
    )
    expect(ofNone).toHaveLength(4)
  })

  it('stay together if nothing reads the source', () => {
    const path = pathOf(SOURCES)
    const parts = partitionBySource(
      path,
      () => 'value',
      (value) => value,
    )
    expect(parts).toEqual([{ path, matches: 'value' }])
    expect(parts[0]?.path).toBe(path)
  })

  it('are evaluated once for each source', () => {
    const sources: string[] = []
    partitionBySource(
      pathOf(SOURCES),
      (path) => {
        sources.push(path.packet.source)
        return tellNetwork(path)
      },
      (value) => value,
    )
    expect(sources).toEqual(SOURCES)
  })

  it('remain on the identical path if they have only one source', () => {
    const single = pathOf(['10.0.0.1'])
    for (const path of [single, branch()]) {
      const [part, ...others] = partitionBySource(path, tellNetwork, () => undefined)
      expect(part?.path).toBe(path)
      expect(others).toEqual([])
    }
  })

  it('have the same ID if their lists of sources are equal', () => {
    const all = createEquivalentSources(SOURCES)
    const [some, others, again] = [['10.0.0.1'], ['10.0.0.2'], ['10.0.0.1']].map((each) =>
      createEquivalentSources(each, all.ids),
    )
    expect([all.id, some?.id, others?.id, again?.id]).toEqual([0, 1, 2, 1])
    expect(createEquivalentSources(SOURCES, all.ids)).toEqual(all)
    expect(some?.ids).toBe(all.ids)
    expect(createEquivalentSources(['10.0.0.1', '1']).id).toBe(0)
  })
})

describe('reads of the source address', () => {
  it('are counted and recorded', () => {
    const readSet = createReadSet()
    recordSourceRead(readSet, '10.0.0.0/8')
    recordSourceRead(readSet, '10.0.0.0/8')
    expect(readSet).toEqual({ ...createReadSet(), sources: new Set(['10.0.0.0/8']), sourceReads: 2 })
    recordLocalSourceRead(readSet)
    expect([readSet.localSources, readSet.sourceReads]).toEqual([true, 3])
  })

  it('are initially empty', () => {
    expect(createReadSet()).toEqual({
      sources: new Set(),
      ports: new Set(),
      interfaces: new Set(),
      clients: new Map(),
      bridged: false,
      localSources: false,
      sourceReads: 0,
    })
    expect(createReadSet().sources).not.toBe(createReadSet().sources)
  })
})
