import { describe, expect, it } from 'vitest'
import { groupDifferences } from '../../src/compare/changes.js'
import type { Comparison, Difference } from '../../src/compare/comparison.js'
import { formatCodeSpan, shortenName } from '../../src/compare/markdown.js'
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
    expect(change?.destinations).toEqual([
      `TCP 10.96.0.1:80, ${destinations.slice(1, 12).join(', ').replaceAll('TCP ', '')} and 3 more`,
    ])
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
    expect(lines[0]).toBe('**103 changes** from `old` to `new` in 200 classes of packets')
    expect(lines.at(-1)).toBe('- … and 3 more, most important first')
  })

  it('lists takeovers first, with the former use of every address', () => {
    const other = { ...difference({ rejected: '1' }, { dropped: '1' }), services: ['a/first:http/TCP'] }
    const addresses = Array.from({ length: 20 }, (_, index) => `TCP 203.0.113.${index + 1}:80`)
    const taken = {
      ...difference({ [PASSED]: '1' }, { '10.1.0.6:80': '1' }, { destinations: ['TCP 10.96.0.9:80', ...addresses] }),
      services: ['z/evil:http/TCP'],
      occupied: addresses.map((destination) => ({ destination, occupant: 'shop/web' })),
    }
    const lines = markdown([other, taken]).split('\n')
    expect(lines[1]).toBe(
      `- **\`z/evil:http/TCP\`**: ${addresses.map((text) => `\`${text} (shop/web)\``).join(', ')}, \`TCP 10.96.0.9:80\`, \`from the network, any other source\`: \`${PASSED}\` → \`10.1.0.6:80\``,
    )
    expect(lines[2]).toContain('a/first:http/TCP')
  })

  it('lists changes of packets that had an outcome before changes of all other packets', () => {
    const fresh = { ...difference({ [PASSED]: '1' }, { '10.1.0.6:80': '1' }), services: ['a/new:http/TCP'] }
    const changed = { ...difference({ '10.1.0.1:80': '1' }, { dropped: '1' }), services: ['z/old:http/TCP'] }
    expect(markdown([fresh, changed]).split('\n').slice(1, 3)).toEqual([
      expect.stringContaining('z/old'),
      expect.stringContaining('a/new'),
    ])
  })

  it('keeps the packets to the node apart that a Service takes over', () => {
    const destinations = ['TCP 192.168.0.2:10250']
    const toNode = {
      ...difference({ [`to the node, ${PASSED}`]: '1' }, { '10.1.0.6:80': '1' }, { destinations }),
      occupied: [{ destination: 'TCP 192.168.0.2:10250', occupant: 'the node' }],
    }
    const others = difference({ [PASSED]: '1' }, { '10.1.0.6:80': '1' })
    const lines = markdown([others, toNode]).split('\n')
    expect(lines[1]).toBe(
      `- **\`d/web:http/TCP\`**: \`TCP 192.168.0.2:10250 (the node)\`, \`from the network, any other source\`: \`to the node, ${PASSED}\` → \`10.1.0.6:80\``,
    )
    expect(lines[2]).toContain(`\`TCP 10.96.0.1:80\`, \`from the network, any other source\`: \`${PASSED}\``)
  })

  it('names the node if packets reach it after the change', () => {
    const destinations = ['TCP 192.168.0.2:30080']
    const toNode = difference({ '10.1.0.6:80': '1' }, { [`to the node, ${PASSED}`]: '1' }, { destinations })
    const others = difference({ '10.1.0.6:80': '1' }, { [PASSED]: '1' })
    const [, line] = markdown([others, toNode]).split('\n')
    expect(line).toContain(`\`10.1.0.6:80\` → \`${PASSED} or to the node, ${PASSED}\``)
  })

  it('contains random choices, and contested packets at the end', () => {
    const choices = [
      { servicePort: 'shop/web:p/TCP', outcomes: { '10.1.0.1:80': '1' } },
      { servicePort: 'zzz/evil:p/TCP', outcomes: { '10.1.0.6:80': '1' } },
    ]
    const plain = difference({ '10.1.0.1:80': '1' }, { '10.1.0.1:80': '1' })
    const random = { ...plain.b, choices }
    const text = 'one of shop/web:p/TCP (10.1.0.1:80), zzz/evil:p/TCP (10.1.0.6:80) at random'
    const contested = [{ ...plain, a: random, b: random }]
    const lines = printComparisonMarkdown(
      [{ equal: false, classes: 9, differences: [{ ...plain, b: random }], inconclusive: [], contested }],
      ['old', 'new'],
    ).split('\n')
    expect(lines).toEqual([
      '**1 change** from `old` to `new`, 1 contested in `old` and `new` in 9 classes of packets',
      expect.stringMatching(/`10\.1\.0\.1:80` → `one of .* at random`$/),
      expect.stringMatching(/^- contested in `old` and `new`: /),
      '',
    ])
    expect(lines[2]?.endsWith(`: \`${text}\``)).toBe(true)
  })

  it('lists warnings before the changes, and notes after them', () => {
    const comparison: Comparison = { equal: true, classes: 9, differences: [], inconclusive: [] }
    const warnings = ['Service a/b: spec: @octocat #1 `x`']
    expect(printComparisonMarkdown([comparison], ['old', 'new'], { warnings, notes: ['assumed: `1`'] })).toBe(
      'no difference in 9 classes of packets\n- warning: `Service a/b: spec: @octocat #1 \\u0060x\\u0060`\n- assumed: `1`\n',
    )
  })

  it('has at most 60,000 characters, with the most important changes', () => {
    const name = 'n'.repeat(70_000)
    const occupied = Array.from({ length: 300 }, (_, index) => ({
      destination: `TCP [2001:db8:aaaa:bbbb:cccc:dddd:eeee:${index}]:80`,
      occupant: name,
    }))
    const differences = Array.from({ length: 500 }, (_, index) => ({
      ...difference(
        { rejected: '1' },
        { dropped: '1' },
        { destinations: occupied.map(({ destination }) => destination) },
      ),
      services: [`d/${index}-${name}:http/TCP`],
      ...(index === 499 && { occupied }),
    }))
    const comparison: Comparison = { equal: false, classes: 200, differences, inconclusive: differences }
    const warnings = Array.from({ length: 5000 }, () => name)
    const text = printComparisonMarkdown([comparison], ['old', 'new'], { warnings, notes: warnings })
    expect(text.length).toBeLessThanOrEqual(60_000)
    const items = text.split('\n').filter((line) => line.startsWith('- **'))
    expect(items[0]).toContain('`d/499-nnn')
    expect(text).toMatch(/^- … and \d+ more, most important first$/m)
  })
})

const PASSED = 'not handled by kube-proxy'

function markdown(differences: readonly Difference[]): string {
  return printComparisonMarkdown([{ equal: false, classes: 9, differences, inconclusive: [] }], ['old', 'new'])
}

describe('formatCodeSpan', () => {
  it.each([
    '@octocat',
    '#1',
    'GH-1',
    'https://evil.example/x',
    'www.evil.example',
    '<img src=x>',
    '**a** [b](c)',
    ':smile:',
  ])('makes %s inert', (text) => {
    expect(formatCodeSpan(text)).toBe(`\`${text}\``)
  })

  it('escapes backticks and line ends, because they could end the code span', () => {
    expect(formatCodeSpan('a`` @b\n\r\u2028`')).toBe('`a\\u0060\\u0060 @b\\u000a\\u000d\\u2028\\u0060`')
    expect(formatCodeSpan('')).toBe('')
  })

  it('shortens long text in the middle', () => {
    const text = formatCodeSpan(`start ${'😀'.repeat(5000)} end`)
    expect([...text].length).toBeLessThanOrEqual(3002)
    expect(text).toMatch(/^`start .*….* end`$/u)
    expect(shortenName('a'.repeat(100))).toBe('a'.repeat(100))
    expect([...shortenName(`${'a'.repeat(80)}${'b'.repeat(80)}`)]).toHaveLength(100)
  })

  it('never divides a character of two code units', () => {
    expect(shortenName('😀'.repeat(100))).toBe('😀'.repeat(100))
    const shortened = `${'😀'.repeat(66)}…${'😀'.repeat(33)}`
    expect(shortenName('😀'.repeat(101))).toBe(shortened)
    expect(shortenName(`${'😀'.repeat(70)}-${'😀'.repeat(70)}`)).toBe(shortened)
  })
})
