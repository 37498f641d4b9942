import { describe, expect, it } from 'vitest'
import { truncate } from '../../src/drawing/fit-width.js'
import { layOutGraph } from '../../src/drawing/graph-layout.js'
import { createPathGraph } from '../../src/drawing/path-graph.js'
import { layOutPath } from '../../src/drawing/path-layout.js'
import { createPathStages } from '../../src/drawing/path-stages.js'
import type { PacketResult } from '../../src/engine/results.js'
import { answerTo } from '../support/answers.js'

/** The least sizes of panes; a pane has 8 pixels of padding at each side, and a bar of 37 pixels. */
const ROOMS = [300, 400, 600, 1000].map((width) => ({ width: width - 16, height: 300 - 16 - 37 }))
const MODES = ['iptables', 'ipvs', 'nftables']

function stagesOfAnswer({ packet, paths }: PacketResult) {
  const [path] = paths
  if (packet === undefined || path === undefined) throw new Error('the packet has no path')
  return createPathStages(packet, path, paths)
}

function manyPaths(count: number): PacketResult['paths'] {
  const [path] = answerTo('seed-ngx-nodeport').paths
  return Array.from({ length: count }, (_, index) => {
    const endpoint = `10.244.100.${index}:8080`
    return { ...path, weight: `1/${count}`, probability: 1 / count, endpoint, outcome: endpoint }
  }) as unknown as PacketResult['paths']
}

describe('layOutPath', () => {
  it.each(MODES)('fits panes of every width in %s mode', (mode) => {
    for (const room of ROOMS) {
      const { width, height } = layOutPath(stagesOfAnswer(answerTo('seed-ngx-nodeport', { mode })), room)
      expect(width).toBeLessThanOrEqual(room.width)
      expect(height).toBeLessThanOrEqual(room.height)
    }
  })

  it('shows all steps in one row when the pane is wide', () => {
    const stages = stagesOfAnswer(answerTo('seed-ngx-nodeport'))
    const { columns, places } = layOutPath(stages, { width: 1400, height: 300 })
    expect(columns).toBe(stages.length + 1)
    expect(places.slice(0, -1).map(({ steps }) => steps)).toEqual(stages.map(({ steps }) => steps))
  })

  it('gives cards with long texts the width that other cards do not need', () => {
    const { columns, places } = layOutPath(stagesOfAnswer(answerTo('node-port')), { width: 780, height: 250 })
    const [first, second] = places
    expect(columns).toBe(4)
    // DNAT --to-destination 10.244.1.5:8080
    expect(first?.width).toBeGreaterThanOrEqual(37 * 7 + 26)
    expect(second?.width).toBeLessThan(180)
  })

  it('shows only the random choice and the last step if a card has no room for other steps', () => {
    const [first] = layOutPath(stagesOfAnswer(answerTo('seed-ngx-nodeport')), { width: 300, height: 320 }).places
    expect(first?.steps.map(({ share }) => share)).toContain('1/3')
    expect(first?.steps.at(-1)?.verdict).toContain('DNAT')
  })
})

describe('layOutGraph', () => {
  it.each(MODES)('fits panes of every width in %s mode', (mode) => {
    const graph = createPathGraph(answerTo('seed-ngx-nodeport', { mode }).paths)
    for (const room of ROOMS) {
      const { width, height, columns } = layOutGraph(graph, room)
      expect(width).toBeLessThanOrEqual(room.width)
      expect(height).toBeLessThanOrEqual(room.height)
      expect(columns.at(-1)?.kind).toBe('ends')
    }
  })

  it('joins endpoints that the pane has no room for', () => {
    const graph = createPathGraph(manyPaths(50))
    for (const room of ROOMS) {
      const { width, height, branches } = layOutGraph(graph, room)
      expect(width).toBeLessThanOrEqual(room.width)
      expect(height).toBeLessThanOrEqual(room.height)
      expect(branches.at(-1)).toMatchObject({ end: `+${51 - branches.length}, each 1/50` })
      expect(branches.length).toBeGreaterThan(8)
    }
  })

  it('hides chains in the middle of a card when the pane is low', () => {
    const { columns } = layOutGraph(createPathGraph(answerTo('seed-ngx-nodeport').paths), { width: 700, height: 110 })
    const [rows = []] = columns[0]?.cards ?? []
    expect(rows.map(({ text }) => text)).toEqual([
      'PREROUTING nat',
      'PREROUTING',
      '… 3 more',
      'KUBE-MARK-MASQ',
      'KUBE-SVC-BZLGMOB35QVMRT4I',
    ])
  })
})

describe('truncate', () => {
  it('cuts the middle of a text', () => {
    expect(truncate('KUBE-SVC-BZLGMOB35QVMRT4I', 13)).toBe('KUBE-S…VMRT4I')
    expect(truncate('short', 5)).toBe('short')
  })
})
