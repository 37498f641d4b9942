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

/** Returns the network of a source, with the same lookup as a rule. */
function tellNetwork({ packet }: Branch): string {
  noteSource(packet.asked, '10.0.0.0/16')
  return packet.source.replace(/\.\d+\.\d+$/, '')
}

const sourcesOf = ({ packet }: Branch) => [packet.source, packet.alike?.sources]

describe('packets of several sources', () => {
  it('are split into groups with the same result', () => {
    const parts = partBySource(wayOf(SOURCES), tellNetwork, (network) => network)
    expect(parts.map(({ way, told }) => [...sourcesOf(way), told])).toEqual([
      ['10.0.0.1', ['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0'],
      ['10.1.0.1', ['10.1.0.1'], '10.1'],
    ])
  })

  it('are split one by one if each source is matched separately', () => {
    const parts = partBySource(wayOf(SOURCES), tellNetwork, () => undefined)
    expect(parts.map(({ way }) => way.packet.alike?.sources)).toEqual(SOURCES.map((source) => [source]))
    const ofNone = partBySource(
      wayOf(SOURCES),
      () => 'unknown',
      () => undefined,
    )
    expect(ofNone).toHaveLength(4)
  })

  it('stay together if the source was not read', () => {
    const way = wayOf(SOURCES)
    const parts = partBySource(
      way,
      () => 'told',
      (told) => told,
    )
    expect(parts).toEqual([{ way, told: 'told' }])
    expect(parts[0]?.way).toBe(way)
  })

  it('are evaluated once each', () => {
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

  it('with a single source return the identical path', () => {
    const single = wayOf(['10.0.0.1'])
    for (const way of [single, branch()]) {
      const [part, ...others] = partBySource(way, tellNetwork, () => undefined)
      expect(part?.way).toBe(way)
      expect(others).toEqual([])
    }
  })

  it('are numbered: an equal list has an equal number within its family', () => {
    const all = alikeSources(SOURCES)
    const [some, others, again] = [['10.0.0.1'], ['10.0.0.2'], ['10.0.0.1']].map((each) => alikeSources(each, all.ids))
    expect([all.id, some?.id, others?.id, again?.id]).toEqual([0, 1, 2, 1])
    expect(alikeSources(SOURCES, all.ids)).toEqual(all)
    expect(some?.ids).toBe(all.ids)
    expect(alikeSources(['10.0.0.1', '1']).id).toBe(0)
  })
})

describe('source reads', () => {
  it('are counted and recorded', () => {
    const asked = nothingAsked()
    noteSource(asked, '10.0.0.0/8')
    noteSource(asked, '10.0.0.0/8')
    expect(asked).toEqual({ ...nothingAsked(), sources: new Set(['10.0.0.0/8']), sourceReads: 2 })
    noteLocalSource(asked)
    expect([asked.localSources, asked.sourceReads]).toEqual([true, 3])
  })

  it('are initially empty', () => {
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
