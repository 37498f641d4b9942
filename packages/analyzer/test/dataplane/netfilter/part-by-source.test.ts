import { describe, expect, it } from 'vitest'
import { alikeSources } from '../../../../compiler/src/dataplane/netfilter/alike.js'
import { noteLocalSource, noteSource, nothingAsked } from '../../../../compiler/src/dataplane/netfilter/asked.js'
import type { Branch } from '../../../../compiler/src/dataplane/netfilter/branch.js'
import { branch } from '../../../../compiler/test/dataplane/netfilter/branches.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import { partBySource } from '../../../src/dataplane/netfilter/part-by-source.js'

const SOURCES = ['10.0.0.1', '10.0.0.2', '10.1.0.1', '10.0.0.3']

function wayOf(sources: readonly string[]) {
  return branch({
    packet: kernelPacket({ source: sources[0] ?? '', alike: alikeSources(sources), asked: nothingAsked() }),
  })
}

/** The network of a source, looked up as a rule does. */
function tellNetwork({ packet }: Branch): string {
  noteSource(packet.asked, '10.0.0.0/16')
  return packet.source.replace(/\.\d+\.\d+$/, '')
}

const sourcesOf = ({ packet }: Branch) => [packet.source, packet.alike?.sources]

describe('packets of several sources', () => {
  it('part into those of whom the same is told', () => {
    const parts = partBySource(wayOf(SOURCES), tellNetwork, (network) => network)
    expect(parts.map(({ way, told }) => [...sourcesOf(way), told])).toEqual([
      ['10.0.0.1', ['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0'],
      ['10.1.0.1', ['10.1.0.1'], '10.1'],
    ])
  })

  it('part one by one where it is asked of each by itself', () => {
    const parts = partBySource(wayOf(SOURCES), tellNetwork, () => undefined)
    expect(parts.map(({ way }) => way.packet.alike?.sources)).toEqual(SOURCES.map((source) => [source]))
    const ofNone = partBySource(
      wayOf(SOURCES),
      () => 'unknown',
      () => undefined,
    )
    expect(ofNone).toHaveLength(4)
  })

  it('stay together where nothing was asked of the source', () => {
    const way = wayOf(SOURCES)
    const parts = partBySource(
      way,
      () => 'told',
      (told) => told,
    )
    expect(parts).toEqual([{ way, told: 'told' }])
    expect(parts[0]?.way).toBe(way)
  })

  it('are told of each once', () => {
    const asked: string[] = []
    partBySource(
      wayOf(SOURCES),
      (way) => {
        asked.push(way.packet.source)
        return tellNetwork(way)
      },
      (told) => told,
    )
    expect(asked).toEqual(SOURCES)
  })

  it('of one source, and of nobody else, are that way itself', () => {
    const single = wayOf(['10.0.0.1'])
    for (const way of [single, branch()]) {
      const [part, ...others] = partBySource(way, tellNetwork, () => undefined)
      expect(part?.way).toBe(way)
      expect(others).toEqual([])
    }
  })

  it('are numbered: the same list has the same number in its family', () => {
    const all = alikeSources(SOURCES)
    const [some, others, again] = [['10.0.0.1'], ['10.0.0.2'], ['10.0.0.1']].map((each) => alikeSources(each, all.ids))
    expect([all.id, some?.id, others?.id, again?.id]).toEqual([0, 1, 2, 1])
    expect(alikeSources(SOURCES, all.ids)).toEqual(all)
    expect(some?.ids).toBe(all.ids)
    expect(alikeSources(['10.0.0.1', '1']).id).toBe(0)
  })
})

describe('what is asked of the source', () => {
  it('is counted and written down', () => {
    const asked = nothingAsked()
    noteSource(asked, '10.0.0.0/8')
    noteSource(asked, '10.0.0.0/8')
    expect(asked).toEqual({ ...nothingAsked(), sources: new Set(['10.0.0.0/8']), sourceReads: 2 })
    noteLocalSource(asked)
    expect([asked.localSources, asked.sourceReads]).toEqual([true, 3])
  })

  it('begins with nothing', () => {
    expect(nothingAsked()).toEqual({
      sources: new Set(),
      ports: new Set(),
      interfaces: new Set(),
      clients: new Map(),
      bridged: false,
      localSources: false,
      sourceReads: 0,
    })
    expect(nothingAsked().sources).not.toBe(nothingAsked().sources)
  })
})
