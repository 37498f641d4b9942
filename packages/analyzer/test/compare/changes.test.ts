import { describe, expect, it } from 'vitest'
import { groupDifferences } from '../../src/compare/changes.js'
import type { Comparison, Difference } from '../../src/compare/compare-sides.js'
import { printComparisonMarkdown } from '../../src/compare/print-comparison-markdown.js'

type Outcomes = Readonly<Record<string, string>>

function difference(a: Outcomes, b: Outcomes, more: Partial<Difference['packetGroups'][number]> = {}): Difference {
  const group = { destinations: ['TCP 10.96.0.1:80'], arrivals: ['from the network'], sources: ['any other source'] }
  return {
    packet: {
      origin: 'outside',
      protocol: 'TCP',
      source: '198.51.100.1',
      destination: '10.96.0.1',
      destinationPort: 80,
    },
    condition: 'TCP 10.96.0.1:80',
    classes: 1,
    services: ['d/web:http/TCP'],
    packetGroups: [{ ...group, ...more }],
    a: { outcomes: a, paths: [] },
    b: { outcomes: b, paths: [] },
  }
}

function onlyChange(...differences: readonly Difference[]) {
  const changes = groupDifferences(differences)
  expect(changes).toHaveLength(1)
  return changes[0]
}

const ENDPOINTS = { '10.1.0.1:80': '1/3', '10.1.0.2:80': '1/3', '10.1.0.3:80': '1/3' }

describe('the summary of a changed outcome', () => {
  it('names endpoints if there are one or two, but only counts three or more', () => {
    const two = onlyChange(difference({ rejected: '1' }, { '10.1.0.1:80': '1/2', '10.1.0.2:80': '1/2' }))
    expect(two).toMatchObject({ a: 'rejected', b: '10.1.0.1:80 or 10.1.0.2:80' })
    expect(onlyChange(difference({ rejected: '1' }, ENDPOINTS))).toMatchObject({
      b: '3 endpoints',
    })
  })

  it('names a new endpoint in addition to the number of endpoints', () => {
    const before = { '10.1.0.1:80': '1/2', '10.1.0.2:80': '1/2' }
    expect(onlyChange(difference(before, ENDPOINTS))).toMatchObject({
      a: '10.1.0.1:80 or 10.1.0.2:80',
      b: '3 endpoints with 10.1.0.3:80',
    })
  })

  it('reports whether the rules masquerade all or only some of the packets', () => {
    const client = { '10.1.0.1:80': '1' }
    const all = { '10.1.0.1:80, masqueraded': '1' }
    const some = { '10.1.0.1:80': '1/2', '10.1.0.1:80, masqueraded': '1/2' }
    expect(onlyChange(difference(client, all))).toMatchObject({ a: 'with the client IP', b: 'masqueraded' })
    expect(onlyChange(difference(client, some))).toMatchObject({ a: 'with the client IP', b: 'partly masqueraded' })
  })

  it('lists the affected sources, and at most twelve destinations', () => {
    const destinations = Array.from({ length: 15 }, (_, index) => `TCP 10.96.0.${index + 1}:80`)
    const change = onlyChange(
      difference({ rejected: '1' }, { dropped: '1' }, { destinations, sources: ['10.1.0.1', '10.1.0.2'] }),
    )
    expect(change?.senders).toBe('from the network, 10.1.0.1 or 10.1.0.2')
    expect(change?.destinations).toBe(
      `TCP 10.96.0.1:80, ${destinations.slice(1, 12).join(', ').replaceAll('TCP ', '')} and 3 more`,
    )
  })

  it('omits individual sources if the change affects every source in their network', () => {
    const sources = ['any other source in 10.0.0.0/8', '10.1.0.1']
    expect(onlyChange(difference({ rejected: '1' }, { dropped: '1' }, { sources }))?.senders).toBe(
      'from the network, any other source in 10.0.0.0/8',
    )
  })
})

describe('the Markdown of a comparison', () => {
  it('lists a hundred changes, and counts the remaining changes', () => {
    const differences = Array.from({ length: 103 }, (_, index) => ({
      ...difference({ rejected: '1' }, { dropped: '1' }),
      services: [`d/web-${index}:http/TCP`],
    }))
    const comparison: Comparison = { equal: false, classes: 200, differences, inconclusive: [] }
    const lines = printComparisonMarkdown([comparison], ['old', 'new']).trimEnd().split('\n')
    expect(lines).toHaveLength(102)
    expect(lines[0]).toBe('**103 changes** from old to new in 200 classes of packets')
    expect(lines.at(-1)).toBe('- … and 3 more')
  })
})
